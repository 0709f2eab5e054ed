import { expect, test } from 'vitest';
import { packageVersion } from '../../base/packageVersion.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { createProject } from './support/project.ts';
import { runCli, runRefused } from './support/runCli.ts';

const RED = '\u001b[31m';
const colours = { FORCE_COLOR: '1', NO_COLOR: '' };

test('--quiet shows no progress; results stay', async () => {
  const cwd = createProject();
  const run = await runCli(['run', '--until', 'dedup', '--quiet'], { cwd });
  expect([run.code, run.stderr]).toEqual([0, '']);
  expect(run.stdout).toContain('Next:');
  expect((await runCli(['run', '--until', 'dedup', '--name', 'b'], { cwd })).stderr).toContain('12 kept');
  await runRefused(['status', 'nobody', '--quiet'], { cwd }, 'error: no run');
});

test('errors are red where colours are shown, and not with --no-color or NO_COLOR', async () => {
  const cwd = temporaryFolder();
  const shown = async (args: readonly string[], env: Readonly<Record<string, string>>) =>
    (await runCli(['status', 'nobody', ...args], { cwd, env, alone: true })).stderr.includes(RED);
  expect(await shown([], colours)).toBe(true);
  expect(await shown(['--no-color'], colours)).toBe(false);
  expect(await shown([], { NO_COLOR: '1' })).toBe(false);
});

test('--version --json is for programs', async () => {
  const { code, stdout } = await runCli(['--version', '--json'], { cwd: temporaryFolder() });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ version: packageVersion(), node: process.versions.node });
});
