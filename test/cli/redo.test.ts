import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openRun } from '../../pipeline/run/openRun.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { copyOf } from '../support/temporaryFolder.ts';
import { linesOf } from './support/linesOf.ts';
import { createProject, jsonLines, sampleTasks } from './support/project.ts';
import { runCli, runRefused, runWell } from './support/runCli.ts';
import { startSampleTeacher } from './support/startSampleTeacher.ts';

/** A project whose run is complete. */
const made = sharedFolder();
beforeAll(async () => {
  await runWell(['run'], { cwd: createProject({ folder: made }) });
});

test('another threshold makes stale what depends on it, without a model call; the old one brings the old bytes back', async () => {
  const cwd = copyOf(made);
  const runFolder = join(cwd, 'runs/coa');
  const first = folderHashes(join(runFolder, 'dataset'));
  const asked = linesOf(join(runFolder, 'teacher/requests.jsonl'));
  expect(asked).toBeGreaterThan(50);
  const config = readFileSync(join(cwd, 'coa.yaml'), 'utf8');
  writeFileSync(join(cwd, 'coa.yaml'), `${config}filters: { min_interactions: { mhqa: 30 } }\n`);

  const plan = await runCli(['run', '--dry-run', '--json'], { cwd });
  expect(JSON.parse(plan.stdout).stages.slice(-3)).toEqual([
    { stage: 'judge', kind: 'done' },
    {
      stage: 'filter',
      kind: 'stale',
      reasons: [{ kind: 'settings', keys: ['filters.min_interactions.mhqa'] }],
    },
    { stage: 'export', kind: 'stale', reasons: [{ kind: 'inputs' }] },
  ]);
  expect(folderHashes(join(runFolder, 'dataset'))).toEqual(first);

  const redone = await runCli(['run', '--until', 'filter', '--json'], { cwd });
  expect(redone.stderr).toMatch(/^filter +stale: other settings \(filters\.min_interactions\.mhqa\)$/m);
  expect(
    JSON.parse(redone.stdout).funnel.find((row: { stage: string }) => row.stage === 'filter'),
  ).toMatchObject({
    dropped: { too_few_interactions: sampleTasks.length },
  });
  expect((await runCli(['status', 'coa'], { cwd })).stdout).toMatch(/^coa: in export/);
  expect(folderHashes(join(runFolder, 'dataset'))).toEqual(first);

  writeFileSync(join(cwd, 'coa.yaml'), config);
  await runWell(['run'], { cwd });
  expect(folderHashes(join(runFolder, 'dataset'))).toEqual(first);
  expect(linesOf(join(runFolder, 'teacher/requests.jsonl'))).toBe(asked);

  // A dataset stays until the one that replaces it is whole, also when that was cut off between two renames.
  const run = (await readRunFile(runFolder))!;
  await (await openRun(runFolder, run, { from: 'export' })).close();
  expect(folderHashes(join(runFolder, 'dataset'))).toEqual(first);
  await runWell(['run'], { cwd });
  renameSync(join(runFolder, 'dataset'), join(runFolder, 'dataset.old'));
  mkdirSync(join(runFolder, 'dataset.partial'));
  expect((await runCli(['run'], { cwd })).stdout).toContain('already complete');
  expect(folderHashes(join(runFolder, 'dataset'))).toEqual(first);
  expect(existsSync(join(runFolder, 'dataset.old'))).toBe(false);

  cpSync(runFolder, join(cwd, 'runs/copy'), { recursive: true });
  expect((await runCli(['status', 'copy'], { cwd })).stdout).toMatch(/^copy: complete/);
});

test('more tasks are only added: what was answered is not asked again', async () => {
  const { baseUrl, asked } = await startSampleTeacher(0);
  const cwd = createProject({
    teacher: `{ model: { model: m, endpoint: { base_url: "${baseUrl}", api_key_env: "" } } }`,
  });
  await runWell(['run', '--limit', '4', '--until', 'judge'], { cwd });
  const four = asked();
  const run = await runWell(['run', '--until', 'judge', '--json'], { cwd });
  expect(JSON.parse(run.stdout).funnel[2]).toMatchObject({ stage: 'rollout', entered: 12, emitted: 12 });
  expect(asked()).toBe(four * 3);
});

test('a spent budget ends with code 3 and how to go on; a higher cap goes on to the same traces', async () => {
  const { baseUrl, asked } = await startSampleTeacher(0);
  const price = 'price: { input_usd_per_million: 1, output_usd_per_million: 2 }';
  const endpoint = `{ base_url: "${baseUrl}", api_key_env: "" }`;
  const teacher = `{ model: { model: m, sampling: { max_tokens: 500 }, endpoint: ${endpoint}, ${price} }, concurrency: 3 }`;
  const cwd = createProject({ teacher, tasks: jsonLines(sampleTasks) });
  const args = ['run', '--until', 'rollout'];
  const capped = await runCli([...args, '--max-cost', '0.1'], { cwd });
  expect(capped.code).toBe(3);
  expect(capped.stderr).toMatch(/the budget is spent: \$0\.\d+ of at most \$0\.1/);
  expect(capped.stderr).toMatch(
    /Resume, with a higher cap, with: \S*coa-distill\S* run coa\.yaml --until rollout --max-cost 0\.2/,
  );
  expect(asked()).toBeGreaterThan(0);
  expect(readFileSync(join(cwd, 'runs/coa/events.jsonl'), 'utf8')).toContain('"outcome":"budget_spent"');
  expect(linesOf(join(cwd, 'runs/coa/rollout/ledger.jsonl'))).toBe(0);
  const byTokens = await runCli([...args, '--name', 'tokens', '--set', 'budget.max_tokens=2000'], { cwd });
  expect(byTokens.code).toBe(3);
  expect(byTokens.stderr).toMatch(/with: .* --set budget\.max_tokens=4000/);
  // The cap is the run's, not the session's.
  expect((await runCli([...args, '--max-cost', '0.1'], { cwd })).code).toBe(3);
  const status = JSON.parse((await runCli(['status', 'coa', '--json'], { cwd })).stdout);
  expect(status.spent.cost_usd).toBeLessThanOrEqual(0.1);
  await runWell([...args, '--max-cost', '50'], { cwd });
  const resumed = asked();
  await runWell([...args, '--name', 'whole'], { cwd });
  expect(asked() - resumed).toBe(resumed);
});

test('the hours of a session end it with code 3, and nothing new begins', async () => {
  const { baseUrl, asked } = await startSampleTeacher(150);
  const teacher = `{ model: { model: m, endpoint: { base_url: "${baseUrl}", api_key_env: "" } }, concurrency: 1 }`;
  const cwd = createProject({ teacher });
  const ended = await runCli(['run', '--set', 'budget.max_hours=0.002'], { cwd });
  expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining('budget.max_hours is 0.002')]);
  expect(ended.stderr).toMatch(/Resume with: \S*coa-distill\S* run coa.yaml --set budget.max_hours=0.002/);
  expect(asked()).toBeGreaterThan(0);
  expect(linesOf(join(cwd, 'runs/coa/rollout/records.jsonl'))).toBeLessThan(sampleTasks.length);
});

test('tasks that failed for what a model said ask again when they are retried, and only they', async () => {
  const cwd = createProject({ planted: { refusal: 0.3 } });
  const runFolder = join(cwd, 'runs/coa');
  const first = JSON.parse((await runCli(['run', '--json'], { cwd })).stdout);
  const { failed } = first.funnel.find((row: { stage: string }) => row.stage === 'rollout');
  expect(failed.model_refused).toBeGreaterThan(0);
  const asked = linesOf(join(runFolder, 'teacher/requests.jsonl'));
  const again = await runCli(['run', '--retry', 'failed:model_refused', '--json'], { cwd });
  expect(again.stderr).toContain(`rollout: ${failed.model_refused} failed inputs are worked on again`);
  expect(JSON.parse(again.stdout).funnel).toEqual(first.funnel);
  expect(JSON.parse(again.stdout).manifest).toEqual(first.manifest);
  const more = linesOf(join(runFolder, 'teacher/requests.jsonl')) - asked;
  expect(more).toBeGreaterThanOrEqual(failed.model_refused);
  expect(more).toBeLessThan(asked / 2);
  expect(readFileSync(join(runFolder, 'rollout/ledger.jsonl'), 'utf8')).toContain('{"kind":"retry","index":');
  await runRefused(['run', '--retry', 'task_unknown'], { cwd }, 'no failure of a task task_unknown');
});

test('settings of the command line are the run’s: the same command goes on, and its hint repeats them', async () => {
  const cwd = createProject({ tasks: jsonLines(sampleTasks.slice(0, 3)) });
  const set = ['--set', 'filters.min_interactions={mhqa: 30}', '--set', 'name=other'];
  await runWell(['run', ...set, '--until', 'judge', '--json'], { cwd });
  const runFile = JSON.parse(readFileSync(join(cwd, 'runs/other/run.json'), 'utf8'));
  expect(runFile).toMatchObject({
    set: set.filter((_, at) => at % 2 === 1),
    config: { filters: { min_interactions: { mhqa: 30 } } },
  });
  const part = await runCli(['run', ...set, '--until', 'convert'], { cwd });
  expect(part.stdout).toContain(
    `run coa.yaml --set 'filters.min_interactions={mhqa: 30}' --set name=other --name other`,
  );
  const rest = await runCli(['run', ...set, '--json'], { cwd });
  expect(JSON.parse(rest.stdout).funnel.at(-2)).toMatchObject({ stage: 'filter', emitted: 0 });
  const plan = JSON.parse((await runCli(['run', '--name', 'other', '--dry-run', '--json'], { cwd })).stdout);
  expect(plan.stages.find((row: { stage: string }) => row.stage === 'rollout').state).not.toBe('stale');
});

test.each([
  ['seed=few', '--set: seed: expected a number, got "few"'],
  ['filters.min_interactions.mhqa=few', '--set: filters.min_interactions.mhqa: expected'],
  ['filtres={}', '--set: filtres: unknown key'],
  ['filters', '--set: expected key=value'],
])('--set %s is blamed on the command line', async (setting, problem) => {
  const run = await runCli(['run', '--set', setting], { cwd: createProject() });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(problem)]);
});

test('a command that another one has overtaken does not undo what it did', async () => {
  const runFolder = join(copyOf(made), 'runs/coa');
  const run = (await readRunFile(runFolder))!;
  const wanted = { ...run, config_hash: 'by older settings' };
  const begun = openRun(runFolder, wanted, { planned: 'what was there', from: 'rollout' });
  await expect(begun).rejects.toThrow(/has worked on it by other settings or reviews/);
  expect(await readRunFile(runFolder)).toEqual(run);
  await (await openRun(runFolder, wanted, { planned: run.config_hash })).close();
  await (await openRun(runFolder, wanted, { planned: 'what was there' })).close();
});
