import { contentId, sha256Hex } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ColumnsRow } from '../../base/rows/fileRow.ts';
import type { RowUnit } from '../../base/rows/openRowFile.ts';
import { ProblemList, UserError } from '../../base/userError.ts';
import { type CorpusOutcome, dropRecord, emitRecord, type SourceStage } from '../../contract/stage.ts';
import type { TestStore } from '../../contract/testStore.ts';
import { type Task, taskSchema, testCount } from '../../schemas/task.ts';
import type { TaskProblem } from '../../schemas/tasks/taskLayout.ts';
import { mapTask, questionIdOf } from './mapTask.ts';
import {
  MAX_BAD_ROWS_NAMED,
  type OpenFile,
  type OpenSource,
  openTaskSources,
  type SourceMapping,
  type TaskSourceOptions,
} from './openTaskSources.ts';
import { readHiddenTests } from './readHiddenTests.ts';

type PlacedRow = ColumnsRow & RowPlace;

type ReadRow = { readonly task: Task } | { readonly bad: BadRow } | { readonly fewTests: Task };

/**
 * Reads task files once, keeping only the ids in memory. With `fail` the first bad row ends the output, and the files
 * are read on only to report further ones: earlier output is unused, since a failed stage restarts. Throws
 * `UserError` for files, profiles and bad rows.
 */
export function createTaskSource(options: TaskSourceOptions): SourceStage<Task> {
  return {
    name: 'tasks',
    version: 1,
    output: taskSchema,
    async *run({ signal }) {
      const sources = await openTaskSources(options);
      const reads = readAll(sources, options, signal);
      let index = 0;
      for await (const read of options.onBadTask === 'fail' ? untilBad(reads) : reads) {
        yield outcomeOf(read, index++, options.minTests);
      }
    },
  };
}

async function* rowsOf(files: readonly OpenFile[]): AsyncGenerator<PlacedRow> {
  for (const { name, unit, columns } of files) {
    for await (const row of columns()) yield { ...row, file: name, unit };
  }
}

async function* readAll(
  sources: readonly OpenSource[],
  { limit = Infinity, testStore, minTests = 0, onBadTask }: TaskSourceOptions,
  signal: AbortSignal,
): AsyncGenerator<ReadRow> {
  let left = limit;
  for (const source of sources) {
    const most = Math.min(source.limit, left);
    const placeOfId = new Map<string, RowPlace>();
    const mappingOf = mappingByRow(source, testStore);
    const conflicts = new GoldConflicts();
    let [rows, tasks] = [0, 0];
    for await (const row of rowsOf(source.files)) {
      signal.throwIfAborted();
      const mapping = await mappingOf(rows++, most - tasks);
      const read = withEnoughTests(readRow(row, mapping, placeOfId), minTests);
      if ('task' in read) {
        tasks++;
        conflicts.add(read.task, row);
      }
      yield read;
      if (tasks === most) break;
    }
    if (tasks === 0 && source.wrongColumns !== undefined) throw new UserError(source.wrongColumns);
    if (rows === 0)
      throw new UserError(`task file ${source.place}: it holds no tasks; it needs at least one`);
    const conflict = onBadTask === 'fail' ? conflicts.problem(tasks) : undefined;
    if (conflict !== undefined) throw new UserError(`${source.place}: ${conflict}`);
    left -= tasks;
    if (left === 0) return;
  }
}

/** Maximum share of rows with conflicting answers to one question; above it the whole file is faulty. */
const MAX_CONFLICTS = 0.05;

class GoldConflicts {
  readonly #first = new Map<string, { readonly row: number; readonly answers: readonly string[] }>();
  readonly #pairs: (readonly [number, number])[] = [];

  add({ question, answers }: Task, { row }: RowPlace): void {
    if (answers.length === 0) return;
    const key = sha256Hex(question.toLowerCase());
    const folded = answers.map((answer) => answer.toLowerCase());
    const first = this.#first.get(key);
    if (!first) this.#first.set(key, { row, answers: folded });
    else if (!folded.some((answer) => first.answers.includes(answer))) this.#pairs.push([first.row, row]);
  }

  /** Undefined for few conflicts, which may be mistakes of single rows. */
  problem(tasks: number): string | undefined {
    const [pair] = this.#pairs;
    if (!pair || this.#pairs.length <= MAX_CONFLICTS * tasks) return undefined;
    return `${this.#pairs.length} of ${tasks} tasks ask what another one asks and have another answer (first in rows ${pair.join(' and ')}): the question lacks a part; name its column with columns.context, or several as columns.question: '{a} {b}'; if these are all parts, use --set tasks.on_bad_task=skip`;
  }
}

function withEnoughTests(read: ReadRow, minTests: number): ReadRow {
  if (!('task' in read) || !read.task.tests || testCount(read.task.tests) >= minTests) return read;
  return { fewTests: read.task };
}

/**
 * Mapping for each row, called in order from 0. Tests stored separately are looked up for as many rows as tasks are
 * still wanted: a few for a small limit, otherwise one pass over their file for all.
 */
function mappingByRow({ files, mapping, testsFrom }: OpenSource, store: TestStore | undefined) {
  if (testsFrom === undefined) return async () => mapping;
  let lookedUp = 0;
  let current = mapping;
  return async (row: number, wantedTasks: number): Promise<SourceMapping> => {
    if (row < lookedUp) return current;
    const ids = await questionIds(files, mapping, lookedUp, lookedUp + wantedTasks);
    lookedUp += wantedTasks;
    current = { ...mapping, hidden: await readHiddenTests(testsFrom, ids, store) };
    return current;
  };
}

/** Question ids of a range of rows, counted from 0. */
async function questionIds(
  files: readonly OpenFile[],
  { layout }: SourceMapping,
  from: number,
  to: number,
): Promise<Set<string>> {
  const ids = new Set<string>();
  let at = 0;
  for await (const read of rowsOf(files)) {
    if (at >= to) break;
    const id = at >= from && 'value' in read ? questionIdOf(read.value, layout) : undefined;
    if (id !== undefined) ids.add(id);
    at += 1;
  }
  return ids;
}

function readRow(read: PlacedRow, mapping: SourceMapping, placeOfId: Map<string, RowPlace>): ReadRow {
  const { file, unit, row } = read;
  const bad = (problem: string, code: TaskProblem = 'unusable') => ({
    bad: { file, unit, row, code, problem },
  });
  if ('problem' in read) return bad(read.problem);
  const mapped = mapTask(row, read.value, { ...mapping, file });
  if ('problem' in mapped) return bad(mapped.problem, mapped.code);
  const { given_id } = mapped.task;
  if (given_id !== undefined) {
    const first = placeOfId.get(given_id);
    if (first !== undefined) {
      const where = `${first.file === file ? 'on' : `in ${first.file}`} ${first.unit} ${first.row}`;
      return bad(`duplicate id ${JSON.stringify(given_id)}, first ${where}`);
    }
    placeOfId.set(given_id, { file, unit, row });
  }
  return mapped;
}

/** Reads up to the first bad row, then collects further ones and throws the error that names them. */
async function* untilBad(reads: AsyncIterable<ReadRow>): AsyncGenerator<ReadRow> {
  const bad: BadRow[] = [];
  let good = 0;
  for await (const read of reads) {
    if ('bad' in read) bad.push(read.bad);
    else {
      good += 1;
      if (bad.length === 0) yield read;
    }
    if (bad.length === MAX_BAD_ROWS_NAMED) break;
  }
  if (bad.length > 0) throw badRowsError(bad, good);
}

function outcomeOf(read: ReadRow, index: number, minTests = 0): CorpusOutcome<Task> {
  if ('task' in read) {
    const { id } = read.task;
    return { index, recordId: id, taskId: id, outcome: emitRecord(read.task) };
  }
  if ('fewTests' in read) {
    const { id, tests } = read.fewTests;
    const evidence = { tests: tests ? testCount(tests) : 0, min_tests: minTests };
    return { index, recordId: id, taskId: id, outcome: dropRecord('too_few_tests', evidence) };
  }
  const evidence = badRowEvidence(read.bad);
  const id = contentId('task', evidence);
  return { index, recordId: id, taskId: id, outcome: dropRecord('bad_task', evidence) };
}

interface RowPlace {
  readonly file: string;
  readonly unit: RowUnit;
  readonly row: number;
}

/** A row that is not a task, with its place and reason. */
interface BadRow extends RowPlace {
  readonly code: TaskProblem;
  readonly problem: string;
}

/**
 * Error that names bad rows: one line per problem and file, with its first row.
 * @param good rows beside them that are tasks; where there is none, leaving out the bad ones would leave nothing
 */
function badRowsError(bad: readonly BadRow[], good: number): UserError {
  const groups = Map.groupBy(
    bad,
    ({ file, code, problem }) => `${file} ${code === 'unusable' ? problem : code}`,
  );
  const lines = [...groups.values()].map(([first, ...others]) => {
    const { file, unit, row, problem } = first!;
    return `${file} ${unit} ${row}: ${problem}${others.length === 0 ? '' : `, and so in ${others.length} more`}`;
  });
  const more = bad.length >= MAX_BAD_ROWS_NAMED ? `, of which the first ${MAX_BAD_ROWS_NAMED} are named` : '';
  const [row, it] = bad.length === 1 ? ['the row', 'it'] : ['the rows', 'them'];
  const advice = `fix ${row}${more}${good === 0 ? '' : `, or leave ${it} out with --set tasks.on_bad_task=skip`}`;
  return bad.length === 1 ? new UserError(`${lines[0]}; ${advice}`) : new ProblemList(lines, advice);
}

/** Ledger entry of a bad row. */
function badRowEvidence({ file, unit, row, code, problem }: BadRow): JsonObject {
  return { file, [unit]: row, code, problem };
}
