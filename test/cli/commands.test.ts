import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageVersion } from '../../base/packageVersion.ts';
import { templateProfiles } from '../../cli/init/templates.ts';
import { createProgram } from '../../cli/main.ts';
import { plantedRows } from '../support/answerKey/plantedRows.ts';
import { namesModules } from '../support/namedModules.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { createProject, jsonLines, sampleTasks } from './support/project.ts';
import { finished, runCli, runWell, startCli } from './support/runCli.ts';

test('every command shows examples, and help is no mistake', async () => {
  const cwd = temporaryFolder();
  const commands = [[], ['init'], ['run'], ['status'], ['view'], ['train'], ['doctor']];
  for (const command of [...commands, ['serve', 'teacher'], ['tools', 'call']]) {
    const { code, stdout } = await runCli([...command, '--help'], { cwd });
    expect([command, code]).toEqual([command, 0]);
    expect(stdout).toContain('Examples:\n  coa-distill');
  }
});

test('the help of the program says of each command what the command itself says', async () => {
  const ofTable = await createProgram(() => false);
  const loaded = await createProgram();
  expect(ofTable.helpInformation()).toBe(loaded.helpInformation());
});

test('the version is that of the package, alone and beside other options', async () => {
  const cwd = temporaryFolder();
  for (const args of [['--version'], ['-V'], ['--no-color', '--version']])
    expect(await runCli(args, { cwd })).toMatchObject({ code: 0, stdout: `${packageVersion()}\n` });
});

test('help loads neither schemas nor the run', async () => {
  const through = ['env', `NODE_OPTIONS=${namesModules}`];
  const { stderr } = await runCli(['--help'], { cwd: temporaryFolder(), through });
  expect(stderr).toContain('commander');
  expect(stderr).not.toMatch(/node_modules\/zod|executeRun|cli\/commands\//);
});

test.each(templateProfiles)('init %s makes a configuration that is valid, once', async (profile) => {
  const cwd = temporaryFolder();
  await runWell(['init', 'new', '--profile', profile], { cwd });
  expect(readFileSync(join(cwd, 'new/coa.yaml'), 'utf8')).toMatch(
    /^# yaml-language-server: \$schema=\.\/coa\.schema\.json/,
  );
  expect(readFileSync(join(cwd, 'new/.env.example'), 'utf8')).toContain('OPENAI_API_KEY=');
  const plan = await runCli(['run', 'new/coa.yaml', '--dry-run', '--json'], { cwd });
  expect(JSON.parse(plan.stdout)).toMatchObject({ tasks: [{ profile, tasks: 1 }], bad_tasks: 0 });
  expect(existsSync(join(cwd, 'runs'))).toBe(false);
  const before = readFileSync(join(cwd, 'new/coa.yaml'));
  expect((await runCli(['init', 'new', '--profile', profile], { cwd })).code).toBe(2);
  expect(readFileSync(join(cwd, 'new/coa.yaml'))).toEqual(before);
});

describe('a finished run', () => {
  test('is shown, reported and rendered as a job; run again it does nothing', async () => {
    const duplicate = { id: 'again', question: 'Which river flows past town number 3?', answer: 'river 3' };
    const cwd = createProject({
      tasks: jsonLines([...sampleTasks, duplicate]),
      planted: { wrong_answer: 0.4 },
    });
    const key = 'sk-planted-in-the-environment';
    const env = { OPENAI_API_KEY: key, SERPER_API_KEY: key };
    const run = await runCli(['run', '--json'], { cwd, env });
    expectNoFileToHold(join(cwd, 'runs'), key);
    expect(run.stderr).not.toMatch(/error/);
    expect(run.code).toBe(0);
    const summary = JSON.parse(run.stdout);
    expectCountsToAddUp(summary.funnel);
    const planted = await plantedRows(join(cwd, 'runs/coa'), join(cwd, 'script.jsonl'));
    expect(planted.length).toBeGreaterThan(2);
    for (const row of planted) {
      expect([row.flaw, row.as_expected, row.false_finds]).toEqual([row.flaw, row.planted, 0]);
    }
    expect(summary.manifest.rows).toBe(summary.funnel.at(-1).emitted);
    expect(summary.peak_rss_bytes).toBeGreaterThan(0);

    const again = await runWell(['run'], { cwd });
    expect(again.stdout).toContain('already complete');

    const status = await runCli(['status', 'coa', '--json'], { cwd });
    expect(JSON.parse(status.stdout)).toMatchObject({ complete: true });
    expect((await runCli(['view', 'coa', '--export'], { cwd })).stdout.trim()).toBe('runs/coa/report.html');
    expect(readFileSync(join(cwd, 'runs/coa/report.html'), 'utf8')).toContain('<html');
    await runWell(['train', 'runs/coa', '--model', 'some/model', '--render-only'], { cwd });
    expect(readFileSync(join(cwd, 'runs/coa/train/sft/train.yaml'), 'utf8')).toContain('some/model');
  });

  test('is made again from a stage on, with a setting that shapes it, and without a model call', async () => {
    const cwd = createProject();
    await runWell(['run', '--until', 'filter'], { cwd });
    const requests = readFileSync(join(cwd, 'runs/coa/teacher/requests.jsonl'), 'utf8');
    const config = readFileSync(join(cwd, 'coa.yaml'), 'utf8');
    writeFileSync(join(cwd, 'coa.yaml'), `${config}filters: { min_interactions: { mhqa: 30 } }\n`);
    const redone = await runCli(['run', '--from', 'filter', '--until', 'filter', '--json'], { cwd });
    expect(redone.code).toBe(2);
    expect(JSON.parse(redone.stdout).funnel.at(-1)).toMatchObject({
      stage: 'filter',
      emitted: 0,
      dropped: { too_few_interactions: sampleTasks.length },
    });
    expect(readFileSync(join(cwd, 'runs/coa/teacher/requests.jsonl'), 'utf8')).toBe(requests);
  });
});

test('unusable rows are skipped and counted when asked to', async () => {
  const cwd = createProject({ tasks: `${jsonLines(sampleTasks)}{"id": "broken"\n` });
  const run = await runWell(['run', '--set', 'tasks.on_bad_task=skip', '--until', 'dedup', '--json'], {
    cwd,
  });
  expect(JSON.parse(run.stdout).funnel[0]).toMatchObject({
    entered: 13,
    emitted: 12,
    dropped: { bad_task: 1 },
  });
});

test('a dry run counts unusable rows by what is wrong with them', async () => {
  const doubtful = [
    { question: 'How many?', answer: 'She has 5.\n#### 5' },
    { question: 'How few?', answer: "['a', 'b']" },
  ];
  const cwd = createProject({ tasks: `${jsonLines([...sampleTasks, ...doubtful])}{"id": "broken"\n` });
  const plan = await runCli(['run', '--set', 'tasks.on_bad_task=skip', '--dry-run', '--json'], { cwd });
  expect(JSON.parse(plan.stdout)).toMatchObject({
    bad_tasks: 3,
    bad_tasks_by_cause: { python_list: 1, rationale: 1, unusable: 1 },
  });
});

test('the scripted teacher serves as an endpoint of its own', async () => {
  const cwd = createProject();
  const child = startCli(['serve', 'teacher', '--script', 'script.jsonl'], { cwd });
  const ended = finished(child);
  const address = await new Promise<string>((resolve) =>
    child.stdout!.once('data', (data: Buffer) => resolve(/http:\S+/.exec(String(data))![0])),
  );
  const run = await runCli(['run', '--base-url', address, '--model', 'm', '--until', 'judge', '--json'], {
    cwd,
    env: { OPENAI_API_KEY: 'any' },
  });
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  expect(JSON.parse(run.stdout).funnel.at(-1)).toMatchObject({ stage: 'judge', emitted: 12, failed: {} });
});

describe('tools call', () => {
  test('prints the observation of a search', async () => {
    const cwd = createProject();
    const call = await runWell(['tools', 'call', 'wiki_search', '--input', '-'], {
      cwd,
      stdin: '{"query": "Town 3"}',
    });
    expect(call.stdout).toContain('river 3');
  });
});

test('doctor exits 1 exactly when something that the configuration needs is missing', async () => {
  const cwd = createProject();
  await runWell(['doctor'], { cwd });
  const missing = await runCli(['doctor', '--json'], {
    cwd: createProject({ teacher: '{ model: { model: m } }' }),
  });
  expect(missing.code).toBe(1);
  const checks = JSON.parse(missing.stdout) as { ok: boolean; required: boolean; what: string }[];
  expect(checks.filter(({ ok, required }) => required && !ok).map(({ what }) => what)).toEqual([
    'endpoint https://api.openai.com/v1',
  ]);
});

function expectNoFileToHold(folder: string, secret: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    expect(readFileSync(join(file.parentPath, file.name)).includes(secret)).toBe(false);
  }
}

interface Row {
  readonly entered: number;
  readonly emitted: number;
  readonly dropped: Record<string, number>;
  readonly failed: Record<string, number>;
}

function expectCountsToAddUp(funnel: readonly Row[]): void {
  let before: number | undefined;
  for (const { entered, emitted, dropped, failed } of funnel) {
    const lost = [...Object.values(dropped), ...Object.values(failed)].reduce((sum, count) => sum + count, 0);
    expect(emitted + lost).toBe(entered);
    if (before !== undefined) expect(entered).toBe(before);
    before = emitted;
  }
}
