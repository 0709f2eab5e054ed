import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decontaminateConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { BenchmarkIndex } from '../../../stages/dedup/benchmarkIndex.ts';
import { openBenchmarks } from '../../../stages/dedup/createDecontaminateStage.ts';
import { cases } from '../../support/cases.ts';
import { generatedQuestion } from '../../support/generatedQuestions.ts';
import { plantLeak, waysToLeak } from '../../support/plantLeak.ts';
import { emittedTasks, readTasks } from '../../support/readTasks.ts';
import type { TaskFile } from '../../support/taskFiles.ts';

const asked = cases(5_000);

function add(index: BenchmarkIndex, name: string, questions: readonly string[]): void {
  for (const [at, question] of questions.entries())
    index.add(question, { benchmark: name, benchmark_file: name, benchmark_row: at + 1 });
}

/** Tests that each question of these benchmark files is found when it leaks, and that nothing else is. */
export function testLeaks(files: readonly TaskFile[]): void {
  describe('benchmark files', () => {
    let index: BenchmarkIndex;
    const questionsOf = new Map<string, readonly string[]>();
    beforeAll(async () => {
      for (const { path, profile, preset } of files) {
        const outcomes = await readTasks([{ path, profile, preset }]);
        questionsOf.set(
          basename(path),
          emittedTasks(outcomes).map((task) => task.question),
        );
      }
      const benchmarks = files.map(({ path }) => ({ path }));
      const config = decontaminateConfigSchema.parse({ benchmarks });
      index = await openBenchmarks(config, new AbortController().signal);
    });
    afterAll(() => index.close());

    test.each(waysToLeak)('every question is found: %s', (way) => {
      for (const [name, questions] of questionsOf) {
        for (const [at, question] of questions.entries()) {
          expect(index.find(plantLeak(way, question)), question).toMatchObject({
            benchmark_file: name,
            benchmark_row: at + 1,
          });
        }
      }
    });

    test('no benchmark is found in another, nor one half of one in the other half', () => {
      for (const [name, questions] of questionsOf) {
        const others = new BenchmarkIndex();
        for (const [other, theirs] of questionsOf) if (other !== name) add(others, other, theirs);
        for (const question of questions) expect(others.find(question)).toBeUndefined();
        others.close();
        const half = new BenchmarkIndex();
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
}
