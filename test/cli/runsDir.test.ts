import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { createProject } from './support/project.ts';
import { launcher, runCli, runRefused, runWell } from './support/runCli.ts';

/** A project in a folder `mine`, and the folder above it. */
function projectBelow(more = ''): { readonly above: string; readonly mine: string } {
  const above = temporaryFolder();
  const mine = join(above, 'mine');
  mkdirSync(mine);
  createProject({ folder: mine, more });
  return { above, mine };
}

test('a run lies at its configuration, from whichever folder it is started, and every hint works there', async () => {
  const { above, mine } = projectBelow();
  const first = await runWell(['run', 'mine/coa.yaml'], { cwd: above });
  // In `make test-all` the first use of a command is a process of its own, which names the file it was started as.
  const hints = first.stdout.replaceAll(launcher, 'coa-distill');
  expect(hints).toContain('coa-distill train mine/runs/coa --dry-run');
  const again = await runCli(['run', '--json'], { cwd: mine });
  expect(JSON.parse(again.stdout).folder).toBe(join(mine, 'runs/coa'));
  expect((await runCli(['run'], { cwd: mine })).stdout).toContain('already complete');
  await runRefused(['status', 'coa'], { cwd: above }, 'mine/runs/coa');
  await runWell(['status', 'mine/runs/coa'], { cwd: above });
});

test('a run of the same name elsewhere is named before another begins, and the setting that is named resumes it', async () => {
  const { above, mine } = projectBelow();
  const place = ['--set', `runs_dir=${join(above, 'runs')}`];
  await runWell(['run', 'mine/coa.yaml', ...place], { cwd: above });
  for (const cwd of [above, mine]) {
    const file = cwd === mine ? 'coa.yaml' : 'mine/coa.yaml';
    const plan = await runCli(['run', file, '--dry-run'], { cwd });
    const [, runs] = /same name is at .*--set runs_dir=(\S+)/.exec(plan.stdout) ?? [];
    expect(runs && dirname(runs)).toBe(above);
    const resumed = await runCli(['run', file, '--set', `runs_dir=${runs}`], { cwd });
    expect(resumed.stdout).toContain('already complete');
    expect(resumed.stderr).not.toContain('same name');
  }
  expect((await runCli(['run'], { cwd: mine })).stderr).toContain('same name');
  expect((await runCli(['run'], { cwd: mine })).stderr).not.toContain('same name');
});

test('an evaluation of the same name elsewhere is named too', async () => {
  const { above, mine } = projectBelow('evaluation: {}\n');
  const place = ['--set', `runs_dir=${join(above, 'runs')}`];
  const evaluate = (...more: string[]) =>
    runCli(['evaluate', 'mine/coa.yaml', '--limit', '1', ...more], { cwd: above });
  const first = await evaluate(...place);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).not.toContain('same name');
  expect((await evaluate('--dry-run')).stdout).toContain('same name is at coa-evaluation');
  expect((await evaluate()).stderr).toContain('same name is at coa-evaluation');
  expect((await evaluate(...place)).stderr).not.toContain('same name');
  expect((await runCli(['evaluate', '--limit', '1'], { cwd: mine })).stderr).not.toContain('same name');
});
