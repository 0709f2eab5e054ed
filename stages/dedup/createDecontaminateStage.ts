import path from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { firstRows, openRowFile } from '../../base/rows/openRowFile.ts';
import { rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { ProblemList, UserError } from '../../base/userError.ts';
import {
  type CorpusOutcome,
  type CorpusStage,
  decideEach,
  dropRecord,
  emitRecord,
  type Identified,
  type StageContext,
} from '../../contract/stage.ts';
import type { BenchmarkConfig, DecontaminateConfig } from '../../schemas/config/decontaminate.ts';
import type { BenchmarkRow } from '../../schemas/contamination.ts';
import { type Task, taskSchema } from '../../schemas/task.ts';
import { unreadColumns } from '../../schemas/tasks/accountColumns.ts';
import { layoutOf } from '../../schemas/tasks/layoutOf.ts';
import { findIn, type TaskLayout, TaskRowError } from '../../schemas/tasks/taskLayout.ts';
import { questionIn } from '../../schemas/tasks/taskQuestion.ts';
import { BenchmarkIndex } from './benchmarkIndex.ts';

/** A record with a question, such as a task. */
type AskedRecord = Identified & { readonly question: string };

/**
 * Drops tasks whose question is in a benchmark; the evidence is a `Contamination`. Benchmark questions are stored as
 * hashes and in a temporary file. Throws `UserError` for unreadable benchmarks.
 */
export function createDecontaminateStage(config: DecontaminateConfig) {
  return {
    name: 'decontaminate',
    version: 3,
    input: taskSchema,
    output: taskSchema,
    async *run<T extends AskedRecord>(
      tasks: AsyncIterable<T>,
      { signal }: StageContext,
    ): AsyncIterable<CorpusOutcome<T>> {
      const benchmarks = await openBenchmarks(config, signal);
      try {
        yield* decideEach(tasks, (task) => {
          const found = benchmarks.find(task.question);
          return found ? dropRecord('contaminated', { ...found }) : emitRecord(task);
        });
      } finally {
        benchmarks.close();
      }
    },
  } satisfies CorpusStage<Task, Task>;
}

/** Reads benchmarks into an index that the caller must close. Throws `UserError` for unreadable files. */
export async function openBenchmarks(
  { benchmarks }: DecontaminateConfig,
  signal: AbortSignal,
): Promise<BenchmarkIndex> {
  const index = new BenchmarkIndex();
  try {
    for (const benchmark of benchmarks) {
      for await (const { question, place } of readBenchmark(benchmark)) {
        signal.throwIfAborted();
        index.add(question, place);
      }
    }
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}

interface BenchmarkQuestion {
  readonly place: BenchmarkRow;
  readonly question: string;
}

/**
 * Reads the questions of a benchmark, one row in memory at a time, and never its answers. Throws `UserError` for
 * unknown columns and for a row without a question: a skipped row could leak.
 */
export async function* readBenchmark(config: BenchmarkConfig): AsyncGenerator<BenchmarkQuestion> {
  const benchmark = config.name ?? path.parse(config.path).name;
  for (const file of await rowFilesAt(config.path)) {
    // Relative to the given folder.
    const name = file.isNamed ? file.name : file.name.slice(file.name.indexOf('/') + 1);
    for await (const { row, question } of questionsOf(file.path, config)) {
      yield { place: { benchmark, benchmark_file: name, benchmark_row: row }, question };
    }
  }
}

async function* questionsOf(file: string, { preset = 'generic', columns }: BenchmarkConfig) {
  const opened = await openRowFile(file);
  const rows = await firstRows([opened], 100);
  const layout = layoutOf({ preset, columns }, rows[0], false);
  const isMissing =
    columns.context !== undefined && rows.every((row) => findIn(row, layout.context) === undefined);
  const problems = [
    ...(isMissing ? [`no column ${columns.context} (columns.context)`] : []),
    ...unreadColumns(rows, layout),
  ];
  if (problems.length > 0) throw new ProblemList(problems.map((problem) => `benchmark ${file}: ${problem}`));
  let count = 0;
  for await (const read of opened.columns()) {
    const place = `benchmark ${file} ${opened.unit} ${read.row}`;
    if ('problem' in read) throw new UserError(`${place}: ${read.problem}; fix or remove the row`);
    count++;
    yield { row: read.row, question: questionAt(read.value, layout, place) };
  }
  if (count === 0) {
    throw new UserError(`benchmark ${file}: it holds no rows; a benchmark needs at least one question`);
  }
}

function questionAt(row: JsonObject, layout: TaskLayout, place: string): string {
  try {
    return questionIn(row, layout);
  } catch (error) {
    if (!(error instanceof TaskRowError)) throw error;
    throw new UserError(`${place}: ${error.message}; or fix or remove the row`, { cause: error });
  }
}
