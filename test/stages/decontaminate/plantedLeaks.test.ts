import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decontaminateConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { BenchmarkIndex } from '../../../stages/decontaminate/benchmarkIndex.ts';
import { openBenchmarks } from '../../../stages/decontaminate/createDecontaminateStage.ts';
import { jsonLines } from '../../cli/support/project.ts';
import { cases } from '../../support/cases.ts';
import { generatedQuestion } from '../../support/generatedQuestions.ts';
import { plantLeak, waysToLeak } from '../../support/plantLeak.ts';
import { emittedTasks, readTasks } from '../../support/readTasks.ts';
import { sharedDataPath } from '../../support/sharedData.ts';
import { temporaryFile } from '../../support/temporaryFolder.ts';

const { signal } = new AbortController();
const asked = cases(5_000);

/** The real task files, as a task source reads them. */
const realFiles = {
  'aime24.parquet': { profile: 'math', preset: 'afm_math' },
  'math500.parquet': { profile: 'math', preset: 'afm_math' },
  'livecodebench_v4.parquet': { profile: 'code', preset: 'afm_livecodebench' },
  'nq_500.jsonl': { profile: 'mhqa', preset: 'nq' },
} as const;
const realNames = Object.keys(realFiles) as (keyof typeof realFiles)[];

const questionsOf = new Map<keyof typeof realFiles, readonly string[]>();
beforeAll(async () => {
  for (const name of realNames) {
    const { profile, preset } = realFiles[name];
    const outcomes = await readTasks([{ path: sharedDataPath(name), profile, preset }]);
    questionsOf.set(
      name,
      emittedTasks(outcomes).map((task) => task.question),
    );
  }
});

function add(index: BenchmarkIndex, name: string, questions: readonly string[]): void {
  for (const [at, question] of questions.entries())
    index.add(question, { benchmark: name, benchmark_file: name, benchmark_row: at + 1 });
}

describe('the real benchmarks', () => {
  let index: BenchmarkIndex;
  beforeAll(async () => {
    const benchmarks = realNames.map((name) => ({ path: sharedDataPath(name) }));
    index = await openBenchmarks(decontaminateConfigSchema.parse({ benchmarks }), signal);
  });
  afterAll(() => index.close());

  test.each(waysToLeak)('every question is found: %s', (way) => {
    for (const name of realNames) {
      for (const [at, question] of questionsOf.get(name)!.entries()) {
        expect(index.find(plantLeak(way, question)), question).toMatchObject({
          benchmark_file: name,
          benchmark_row: at + 1,
        });
      }
    }
  });

  test('no benchmark is found in another, nor one half of one in the other half', () => {
    const rule = decontaminateConfigSchema.parse({});
    for (const name of realNames) {
      const others = new BenchmarkIndex(rule);
      for (const other of realNames.filter((one) => one !== name))
        add(others, other, questionsOf.get(other)!);
      const questions = questionsOf.get(name)!;
      for (const question of questions) expect(others.find(question)).toBeUndefined();
      others.close();
      const half = new BenchmarkIndex(rule);
      const isIn = (_: string, at: number) => at % 2 === 0;
      add(half, name, questions.filter(isIn));
      for (const question of questions.filter((q, at) => !isIn(q, at)))
        expect(half.find(question)).toBeUndefined();
      half.close();
    }
  });

  test('no generated question of their domains is flagged', () => {
    for (let at = 0; at < asked; at++) expect(index.find(generatedQuestion('clean', at))).toBeUndefined();
  });
});

describe.each([60, 20_000])(
  'a generated benchmark of %i rows, of the same patterns as the clean questions',
  (rows) => {
    test('all leaks are found with their rows, and nothing clean', async () => {
      const questions = Array.from({ length: rows }, (_, at) => generatedQuestion('leak', at));
      const file = temporaryFile(
        'benchmark.jsonl',
        jsonLines(questions.map((question) => ({ question, answer: 'x' }))),
      );
      const config = decontaminateConfigSchema.parse({ benchmarks: [{ path: file, name: 'generated' }] });
      const index = await openBenchmarks(config, signal);
      const rowOf = new Map(questions.map((question, at) => [question, at + 1] as const).reverse());
      for (let at = 0; at < asked; at++) {
        const row = (at * 7) % rows;
        const leak = plantLeak(waysToLeak[at % waysToLeak.length]!, questions[row]!);
        expect(index.find(leak), leak).toMatchObject({
          benchmark: 'generated',
          benchmark_row: rowOf.get(questions[row]!),
        });
      }
      for (let at = 0; at < asked; at++) expect(index.find(generatedQuestion('clean', at))).toBeUndefined();
      index.close();
    });
  },
);
