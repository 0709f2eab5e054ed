import { describe, expect, test } from 'vitest';
import { decontaminateConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { openBenchmarks } from '../../../stages/dedup/createDecontaminateStage.ts';
import { jsonLines } from '../../cli/support/project.ts';
import { cases } from '../../support/cases.ts';
import { generatedQuestion } from '../../support/generatedQuestions.ts';
import { plantLeak, waysToLeak } from '../../support/plantLeak.ts';
import { taskFiles } from '../../support/taskFiles.ts';
import { temporaryFile } from '../../support/temporaryFolder.ts';
import { testLeaks } from '../support/testLeaks.ts';

const { signal } = new AbortController();
const asked = cases(5_000);

testLeaks(taskFiles);

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
