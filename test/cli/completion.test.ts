import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { createProject } from './support/project.ts';
import { runCli, runWell } from './support/runCli.ts';

const offered = async (cwd: string, ...words: string[]) => {
  const { stdout } = await runCli(['complete', '--', ...words], { cwd });
  return stdout.split('\n').map((line) => line.split('\t')[0]);
};

test('a shell is offered commands, options, their values and the runs that are there', async () => {
  const cwd = temporaryFolder();
  for (const name of ['first', 'second']) {
    mkdirSync(join(cwd, 'runs', name), { recursive: true });
    writeFileSync(join(cwd, 'runs', name, 'run.json'), '{}');
  }
  expect(await offered(cwd, 'tra')).toContain('train');
  expect(await offered(cwd, 'status', '')).toEqual(expect.arrayContaining(['first', 'second']));
  expect(await offered(cwd, 'status', '--w')).toContain('--watch');
  expect(await offered(cwd, 'export', 'first', '--to', 'ax')).toContain('axolotl');
});

test.each(['bash', 'zsh', 'fish'])(
  '%s gets a script, and a shell that is not known is named',
  async (shell) => {
    const cwd = temporaryFolder();
    expect(await runCli(['complete', shell], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('coa-distill'),
    });
    expect((await runCli(['complete', `not-${shell}`], { cwd })).code).toBe(2);
  },
);

test('runs are listed, the last one first, and a damaged one does not hide the others', async () => {
  const cwd = createProject();
  expect((await runCli(['status'], { cwd })).stdout).toContain('no runs under runs/');
  for (const name of ['one', 'two']) await runWell(['run', '--name', name, '--until', 'judge'], { cwd });
  writeFileSync(join(cwd, 'runs/one/run.json'), '{"format_version": 1');
  const { code, stdout } = await runCli(['status'], { cwd });
  expect(code).toBe(0);
  const rows = stdout.trim().split('\n');
  expect(rows).toHaveLength(3);
  expect(rows[1]).toMatch(/^two +done up to judge +12 /);
  expect(rows[2]).toMatch(/^one +unreadable +.*run\.json/);
  const listed = JSON.parse((await runCli(['status', '--json'], { cwd })).stdout);
  expect(listed).toMatchObject([
    { run: 'two', kept: 12, complete: false },
    { run: 'one', error: expect.any(String) },
  ]);
});
