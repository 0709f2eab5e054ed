import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import { manifestSchema } from '../../schemas/manifest.ts';
import type {
  CompareAnswer,
  CompareEvaluationsAnswer,
  PreviewAnswer,
  SourcesAnswer,
} from '../../viewer/api.ts';
import { sampleTrajectories } from '../output/check/support/sampleDataset.ts';
import { writeDataset, writerOptions } from '../output/support/writeDataset.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { askViewer } from './support/askViewer.ts';
import { writeEvaluation } from './support/writtenResults.ts';
import { taskOf, writtenRun } from './support/writtenRun.ts';

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

test('an evaluation is compared with several others, with the score and the use of each', async () => {
  for (const name of ['one', 'two', 'three']) writeEvaluation(join(folder, 'runs', name), name);
  const results = 'runs/three/results/mine.jsonl';
  writeFileSync(results, readFileSync(results, 'utf8').replace('"result":"right"', '"result":"wrong"'));
  const { get } = await askViewer('one');
  const compared = await get('/api/compare-evaluations?a=one&b=two&b=three');
  const { benchmarks } = compared.body as CompareEvaluationsAnswer;
  const use = { calls: 4, prompt_tokens: 900, completion_tokens: 200, cost_usd: 0.25 };
  const side = { score: { value: 0.5 }, use };
  expect(benchmarks).toMatchObject([
    {
      benchmark: 'mine',
      sides: [side, side, side],
      against: [
        { wins: 0, losses: 0 },
        { wins: 1, losses: 0 },
      ],
      differing: [{ task_id: 'task_right', right: [1, 1, 0] }],
    },
  ]);
});

test('rows of every format are previewed with the same words in the loss, and no other file is read', async () => {
  const run = writtenRun(join(folder, 'runs/mine'));
  const options = writerOptions(join(run.folder, 'dataset'), { dataset: { formats: datasetFormatNames } });
  await writeDataset(sampleTrajectories(4), options);
  const { files } = manifestSchema.parse(
    JSON.parse(readFileSync(join(run.folder, 'dataset/manifest.json'), 'utf8')),
  );
  const { get } = await askViewer('mine');
  const preview = (file: string) =>
    get(`/api/sources/mine/preview?${new URLSearchParams({ file, row: '2' })}`);
  const trained = new Set<string>();
  for (const { path } of files.filter(({ rows, split }) => rows !== null && split === 'train')) {
    const { status, body } = await preview(path);
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
    const { sides, raw } = body as PreviewAnswer;
    expect(raw).not.toBe('');
    for (const side of sides) expect(side.pieces.length > 0 || side.problems.length > 0, path).toBe(true);
    const [side, other] = sides;
    const isWhole = other !== undefined || side!.pieces.length === 0;
    if (isWhole) expect(path).toMatch(/pairs|dpo|verl_rl|verifiers/);
    else
      trained.add(side!.pieces.flatMap(({ look, text }) => (look === 'trained' ? [text.trim()] : [])).join());
  }
  expect([...trained]).toEqual([expect.stringContaining('<answer>')]);
  for (const path of ['README.md', '../run.json', '/etc/passwd', ''])
    expect((await preview(path)).status).toBe(400);
});

test('two runs are compared with questions and both values of settings', async () => {
  for (const [name, seed] of [
    ['one', 6],
    ['two', 7],
  ] as const) {
    const set = { config: { dataset: {}, judge: { seed } }, shaping: { judge: { judge: { seed } } } };
    const run = writtenRun(join(folder, 'runs', name), { name, ...set });
    run.emit('tasks', name, [taskOf(name, `Where is ${name}?`)]);
  }
  const { get } = await askViewer('one');
  const { settings, changes } = (await get('/api/compare?a=one&b=two')).body as CompareAnswer;
  expect(settings).toEqual([{ name: 'judge.seed', was: '6', now: '7' }]);
  expect(changes.entered.first).toMatchObject([{ task_id: 'two', question: 'Where is two?' }]);
  expect(changes.left.first).toMatchObject([{ task_id: 'one', question: 'Where is one?' }]);
});
