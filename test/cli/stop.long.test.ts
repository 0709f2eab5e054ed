import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderHashes } from '../support/folderHashes.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { linesOf } from './support/linesOf.ts';
import { createProject, sampleTasks } from './support/project.ts';
import { type CliResult, finished, launcher, runCli, runWell, startCli } from './support/runCli.ts';
import { startSampleTeacher } from './support/startSampleTeacher.ts';

/** Starts a run, or goes on with it, and ends it with a signal as soon as another task is on disk. */
async function cutOff(cwd: string, signal: NodeJS.Signals): Promise<CliResult> {
  const records = join(cwd, 'runs/cut/rollout/records.jsonl');
  const before = linesOf(records);
  const child = startCli(['run', '--name', 'cut'], { cwd });
  const ended = finished(child);
  await waitUntil('another task', () => linesOf(records) > before, { everyMs: 5, child });
  child.kill(signal);
  return ended;
}

test('a run that was stopped goes on to the same bytes: Ctrl-C, then SIGTERM, then kill -9', async () => {
  const endpoint = `{ base_url: "${(await startSampleTeacher(15)).baseUrl}", api_key_env: "" }`;
  const cwd = createProject({ teacher: `{ model: { model: m, endpoint: ${endpoint} }, concurrency: 2 }` });
  const goOn = `Resume with: ${launcher} run coa.yaml --name cut`;

  const interrupted = await cutOff(cwd, 'SIGINT');
  expect(interrupted.code).toBe(130);
  expect(interrupted.stderr).toContain(goOn);
  const done = linesOf(join(cwd, 'runs/cut/rollout/records.jsonl'));
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(sampleTasks.length);
  expect(existsSync(join(cwd, 'runs/cut/lock.json'))).toBe(false);

  const terminated = await cutOff(cwd, 'SIGTERM');
  expect(terminated.code).toBe(143);
  expect(terminated.stderr).toContain(goOn);

  // Nobody tidies up after kill -9: the lock stays, and is stale.
  await cutOff(cwd, 'SIGKILL');
  expect(existsSync(join(cwd, 'runs/cut/lock.json'))).toBe(true);
  expect(existsSync(join(cwd, 'runs/cut/dataset'))).toBe(false);
  const status = await runCli(['status', 'cut', '--json'], { cwd });
  expect(JSON.parse(status.stdout)).toMatchObject({ complete: false });

  const resumed = await runWell(['run', '--name', 'cut'], { cwd });
  expect(resumed.stderr).toMatch(/rollout: \d+ done earlier/);
  await runWell(['run', '--name', 'whole'], { cwd });
  const dataset = folderHashes(join(cwd, 'runs/cut/dataset'));
  expect(Object.keys(dataset)).toContain('trajectories.jsonl');
  expect(dataset).toEqual(folderHashes(join(cwd, 'runs/whole/dataset')));
});
