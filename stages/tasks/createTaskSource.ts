import path from 'node:path';
import { UserError } from '../../pipeline/contract/errors.ts';
import { type CorpusOutcome, drop, emit, type SourceStage } from '../../pipeline/contract/stage.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { TaskSourceConfig, TasksConfig } from '../../schemas/config/tasks.ts';
import { contentId } from '../../schemas/ids.ts';
import { type Task, taskSchema } from '../../schemas/task.ts';
import { type BadRow, badRowEvidence, badRowsError, mostBadRowsNamed } from './badRows.ts';
import { mapTask, type TaskMapping } from './mapTask.ts';
import { openTaskFile } from './openTaskFile.ts';
import { taskLayout } from './presets.ts';
import type { TaskFile, TaskRow } from './taskRow.ts';

/** A task file of the configuration, with its absolute path. */
export type TaskSourceOnDisk = TaskSourceConfig & { readonly path: string };

/** What {@link createTaskSource} needs. */
export interface TaskSourceOptions {
  readonly sources: readonly TaskSourceOnDisk[];
  /** `fail`: nothing is emitted when any row is bad; `skip`: bad rows are dropped as `bad_task`. */
  readonly onBadTask: TasksConfig['on_bad_task'];
  readonly profileOf: (name: string) => Profile | undefined;
  /** Most tasks over all files, bad rows not counted; all where absent. */
  readonly limit?: number;
}

interface OpenSource {
  readonly file: TaskFile;
  readonly mapping: TaskMapping;
  readonly limit: number;
}

type ReadRow = { readonly task: Task } | { readonly bad: BadRow };

/**
 * Reads task files. Under `fail` every file is read twice: once to find bad rows before anything is emitted, once to
 * emit; in exchange nothing but the ids is held in memory. Throws `UserError` for files, profiles and bad rows.
 */
export function createTaskSource(options: TaskSourceOptions): SourceStage<Task> {
  return {
    name: 'tasks',
    version: 1,
    output: taskSchema,
    async *run({ signal }) {
      const sources = await openSources(options);
      if (options.onBadTask === 'fail') await assertNoBadRows(readAll(sources, options.limit, signal));
      let index = 0;
      for await (const read of readAll(sources, options.limit, signal)) yield outcomeOf(read, index++);
    },
  };
}

async function openSources({ sources, profileOf }: TaskSourceOptions): Promise<OpenSource[]> {
  const opened: OpenSource[] = [];
  for (const source of sources) {
    const profile = profileOf(source.profile);
    if (!profile) {
      throw new UserError(
        `tasks.sources: unknown profile ${JSON.stringify(source.profile)} for ${source.file}; use web, mhqa, code or math`,
      );
    }
    const mapping: TaskMapping = {
      layout: taskLayout(source.preset, source.columns),
      profile: profile.name,
      domain: source.domain ?? profile.domain,
      file: path.basename(source.path),
    };
    opened.push({ file: await openTaskFile(source.path), mapping, limit: source.limit ?? Infinity });
  }
  return opened;
}

async function* readAll(
  sources: readonly OpenSource[],
  limit = Infinity,
  signal: AbortSignal,
): AsyncGenerator<ReadRow> {
  let left = limit;
  for (const source of sources) {
    for await (const read of readSource({ ...source, limit: Math.min(source.limit, left) })) {
      signal.throwIfAborted();
      if ('task' in read) left -= 1;
      yield read;
    }
    if (left === 0) return;
  }
}

async function* readSource({ file, mapping, limit }: OpenSource): AsyncGenerator<ReadRow> {
  const rowOfId = new Map<string, number>();
  let rows = 0;
  let tasks = 0;
  for await (const row of file.rows()) {
    rows += 1;
    const read = readRow(row, mapping, file.unit, rowOfId);
    if ('task' in read) tasks += 1;
    yield read;
    if (tasks === limit) return;
  }
  if (rows === 0) throw new UserError(`task file ${mapping.file}: it holds no tasks; it needs at least one`);
}

function readRow(
  read: TaskRow,
  mapping: TaskMapping,
  unit: TaskFile['unit'],
  rowOfId: Map<string, number>,
): ReadRow {
  const bad = (problem: string) => ({ bad: { file: mapping.file, unit, row: read.row, problem } });
  if ('problem' in read) return bad(read.problem);
  const mapped = mapTask(read.row, read.value, mapping);
  if ('problem' in mapped) return bad(mapped.problem);
  const { given_id } = mapped.task;
  if (given_id !== undefined) {
    const first = rowOfId.get(given_id);
    if (first !== undefined)
      return bad(`duplicate id ${JSON.stringify(given_id)}, first on ${unit} ${first}`);
    rowOfId.set(given_id, read.row);
  }
  return mapped;
}

async function assertNoBadRows(reads: AsyncIterable<ReadRow>): Promise<void> {
  const bad: BadRow[] = [];
  for await (const read of reads) {
    if ('bad' in read) bad.push(read.bad);
    if (bad.length === mostBadRowsNamed) break;
  }
  if (bad.length > 0) throw badRowsError(bad);
}

function outcomeOf(read: ReadRow, index: number): CorpusOutcome<Task> {
  if ('task' in read) {
    const { id } = read.task;
    return { index, recordId: id, taskId: id, outcome: emit(read.task) };
  }
  const evidence = badRowEvidence(read.bad);
  const id = contentId('task', evidence);
  return { index, recordId: id, taskId: id, outcome: drop('bad_task', evidence) };
}
