import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFiles } from '../../operations/checkFiles.ts';
import { addDatasetFormats } from '../../operations/exportRecords/addDatasetFormats.ts';
import { exportTrace } from '../../output/interchange/renderExport.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { type TrajectoryRow, trajectoryOfRow } from '../../schemas/trainers/trajectoryRow.ts';
import { createProject, jsonLines } from '../cli/support/project.ts';
import { runImport } from '../interchange/runInProcess.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { mhqaSteps, taskOf, toolSteps, traceOf } from '../support/traceFixture.ts';

const rightAnswer = 'she';

/** A rollout that searched so often; the observations of those that leak hold an address. */
function rollout(question: string, answer: string, searches: number, leak = '') {
  const task = taskOf('mhqa', { question, answers: [rightAnswer] });
  const queries = Array.from({ length: searches }, (_, nth) => `${answer} ${nth}`);
  const steps = mhqaSteps(queries, answer);
  const leaky = leak === '' ? [] : toolSteps('wiki_search', { query: 'address' }, `write to ${leak}`);
  const trace = traceOf(task, [...steps.slice(0, 1), ...leaky, ...steps.slice(1)], answer);
  return exportTrace(trace, builtinProfile('mhqa')!, 'openai', '0');
}

/** One task was solved twice and missed twice, one only missed, one only solved. */
const rollouts = [
  rollout('Who sang?', 'she', 3),
  rollout('Who sang?', 'a tree', 4, 'ann@example.com'),
  rollout('Who wrote?', 'nobody', 3),
  rollout('Who sang?', 'she', 6),
  rollout('Who painted?', 'she', 3),
  rollout('Who sang?', 'the rain', 7),
];

async function run(dataset: string, filters = '{ duplicate_questions: keep }', name = 'pairs', select = '') {
  const more = `filters: ${filters}\ndataset: ${dataset}\n${select}`;
  const folder = createProject({ more });
  writeFileSync(join(folder, 'log.jsonl'), jsonLines(rollouts));
  const request = { format: 'openai', files: ['log.jsonl'], name, configFile: 'coa.yaml' } as const;
  const { folder: runFolder, funnel } = await runImport(folder, request, { until: 'export' });
  const data = join(runFolder, 'dataset');
  const manifest = JSON.parse(readFileSync(join(data, 'manifest.json'), 'utf8')) as Manifest;
  return { runFolder, data, funnel, manifest };
}

interface PairRow {
  readonly chosen: TrajectoryRow;
  readonly rejected: TrajectoryRow;
}

function pairsOf(data: string) {
  const lines = readFileSync(join(data, 'pairs.jsonl'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const { chosen, rejected } = JSON.parse(line) as PairRow;
    return { chosen: trajectoryOfRow(chosen), rejected: trajectoryOfRow(rejected) };
  });
}

const answerOf = (row: { segments: readonly { text: string }[] }) => row.segments.at(-1)!.text;
const words = (data: string) =>
  pairsOf(data).map(({ chosen, rejected }) => `${answerOf(chosen)} ${answerOf(rejected)}`);

test('a task that was solved and missed gives pairs of a right and a wrong rollout', async () => {
  const { data, manifest, funnel, runFolder } = await run(
    '{ formats: [llama_factory, dpo, hugging_face_dpo], preference: { per_task: 4, max_length_ratio: 1.5 } }',
    '{ duplicate_questions: keep, secrets: { action: mask } }',
  );
  expect(funnel.find(({ stage }) => stage === 'filter')).toMatchObject({
    emitted: 3,
    dropped: { wrong_answer: 3 },
  });
  expect(words(data)).toEqual([
    '<answer>she</answer> <answer>a tree</answer>',
    '<answer>she</answer> <answer>the rain</answer>',
  ]);
  expect(manifest).toMatchObject({
    rows: 3,
    formats: ['llama_factory', 'dpo', 'hugging_face_dpo'],
    preference: { pairs: 2, tasks: 1, splits: { train: 2, validation: 0 }, too_long: 0, unusable: 0 },
  });
  const rates = readFileSync(join(data, 'tasks.pass_rates.jsonl'), 'utf8').trimEnd().split('\n');
  expect(rates.map((line) => JSON.parse(line) as object)).toMatchObject([
    { question: 'Who sang?', passed: 2, samples: 4, unscored: 0 },
    { question: 'Who wrote?', passed: 0, samples: 1, unscored: 0 },
    { question: 'Who painted?', passed: 1, samples: 1, unscored: 0 },
  ]);
  expect(manifest.rollouts).toMatchObject({ tasks: 3, right: 3, wrong: 3, unscored: 0 });
  expect(manifest.rollouts?.pass_at['4']).toEqual({ value: 1, low: expect.any(Number), high: 1, tasks: 1 });
  expect(readFileSync(join(data, 'README.md'), 'utf8')).toContain('pass@1 0.50');
  for (const { chosen, rejected } of pairsOf(data)) {
    expect(chosen.user).toBe(rejected.user);
    expect(rejected.quality.verdicts).toMatchObject([{ subject: 'answer', judgement: 'incorrect' }]);
  }
  const texts = JSON.stringify(pairsOf(data));
  expect(texts).not.toContain('ann@example.com');
  expect(texts).toContain('[email]');
  expect((await checkFiles([data])).errors).toBe(0);

  const later = await run(
    '{ formats: [llama_factory], preference: { per_task: 4, max_length_ratio: 1.5 } }',
    '{ duplicate_questions: keep, secrets: { action: mask } }',
  );
  await addDatasetFormats({ runFolder: later.runFolder, formats: ['dpo', 'hugging_face_dpo'] });
  const hashes = async (folder: string) => {
    const { 'manifest.json': _, ...files } = await folderHashes(folder);
    return files;
  };
  expect(await hashes(later.data)).toEqual(await hashes(data));
  expect(runFolder).not.toBe(later.runFolder);
});

test('what must not be in a dataset is on no side, and by score the margin decides', async () => {
  const dropped = await run(
    '{ formats: [dpo], preference: { per_task: 9 } }',
    '{ duplicate_questions: keep, secrets: { action: drop } }',
  );
  expect(words(dropped.data)).toEqual([
    '<answer>she</answer> <answer>the rain</answer>',
    '<answer>she</answer> <answer>the rain</answer>',
  ]);
  const byScore = await run('{ formats: [dpo], preference: { by: score, per_task: 9, min_margin: 1 } }');
  expect(byScore.manifest.preference).toMatchObject({ pairs: 4, tasks: 1 });
  const none = await run('{ formats: [dpo], cutoff_len: 100 }');
  expect(none.manifest).toMatchObject({ rows: 0, preference: { pairs: 0, too_long: 1 } });
});

test('tasks that the run itself solves too often or too seldom are left out after all rollouts', async () => {
  const limits = 'select: { pass_rate: { min: 0.1, max: 0.9 }, best_of: { by: [correct, fewest_tools] } }\n';
  const { funnel, manifest } = await run('{}', '{ duplicate_questions: keep }', 'rates', limits);
  expect(funnel.find(({ stage }) => stage === 'select')).toMatchObject({
    entered: 3,
    emitted: 1,
    dropped: { too_easy: 1, not_best_of_task: 1 },
  });
  expect(manifest.rows).toBe(1);
});
