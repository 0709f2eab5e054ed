import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { CompareEvaluationsAnswer, SourcesAnswer } from '../../viewer/answers.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { askViewer } from './support/askViewer.ts';
import { writeEvaluation } from './support/writtenResults.ts';

let folder: string;
beforeEach(() => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  folder = temporaryFolder();
  process.chdir(folder);
});

test('evaluations are listed with the headline score of each benchmark, damaged ones with what is wrong', async () => {
  for (const name of ['one', 'two']) writeEvaluation(join(folder, 'runs', name), name);
  mkdirSync('runs/broken');
  writeFileSync('runs/broken/evaluation.json', '{');
  const { get } = await askViewer('one');
  const { evaluations } = (await get('/api/sources')).body as SourcesAnswer;
  const [broken, one] = evaluations;
  expect(broken).toMatchObject({ name: 'broken', benchmarks: [], error: expect.stringContaining('broken') });
  expect(one).toMatchObject({ name: 'one', error: null, model: 'one' });
  expect(one?.benchmarks).toMatchObject([
    { benchmark: 'mine', score: { value: 0.5, low: 0.1, high: 0.9 }, too_many_unscored: false },
  ]);
});

test('two evaluations are compared with the score and the use of each', async () => {
  for (const name of ['one', 'two']) writeEvaluation(join(folder, 'runs', name), name);
  const { get } = await askViewer('one');
  const { benchmarks } = (await get('/api/compare-evaluations?a=one&b=two')).body as CompareEvaluationsAnswer;
  const use = { calls: 4, prompt_tokens: 900, completion_tokens: 200, cost_usd: 0.25 };
  expect(benchmarks[0]?.sides).toMatchObject([
    { score: { value: 0.5 }, use },
    { score: { value: 0.5 }, use },
  ]);
});
