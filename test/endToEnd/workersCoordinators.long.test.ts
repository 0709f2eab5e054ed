import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, sampleTasks } from '../cli/support/project.ts';
import { finished, startCli } from '../cli/support/runCli.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { startTeacherProcess } from './support/startTeacherProcess.ts';
import { usePostgres } from './support/usePostgres.ts';

const postgres = usePostgres();
/** Longer than a worker takes from one heartbeat to the next. */
const LATENCY_MS = 2_000;

test('of two coordinators with the same run the later one goes on, and the earlier one ends and harms nothing', async () => {
  const folder = temporaryFolder();
  const cwd = createProject({ folder });
  const teacher = await startTeacherProcess(cwd, LATENCY_MS);
  onTestFinished(() => teacher.stop());
  const endpoint = { base_url: teacher.baseUrl, api_key_env: '', concurrency: 2 };
  createProject({ folder, teacher: JSON.stringify({ model: { model: 'm', endpoint }, concurrency: 2 }) });
  const start = (args: string[], at: string) => {
    const child = startCli(args, { cwd: at });
    onTestFinished(() => void child.kill('SIGKILL'));
    return finished(child);
  };
  const run = ['run', '--workers', postgres.url, '--set', 'scale.lease_s=5'];
  const earlier = start(run, cwd);
  const worker = postgres.startWorker([], cwd);
  let said = '';
  worker.stderr!.on('data', (text) => {
    said += text;
  });
  await waitUntil('calls', () => teacher.asked().length >= 4);
  // A copy on another machine, which sees no lock.
  const copy = join(temporaryFolder(), 'copy');
  cpSync(cwd, copy, { recursive: true });
  for (const lock of ['lock', 'lock.json']) rmSync(join(copy, 'runs/coa', lock), { force: true });
  expect(existsSync(join(copy, 'runs/coa/workers.json'))).toBe(true);
  const goesOn = start(run, copy);
  // The copy's paths are others: what the worker began with is over.
  await waitUntil('the loss of the lease', () => said.includes('has lost its lease'));
  teacher.hurry();
  const later = await goesOn;
  expect(later.code, later.stderr).toBe(0);
  const { rows } = JSON.parse(readFileSync(join(copy, 'runs/coa/dataset/manifest.json'), 'utf8'));
  expect(rows).toBe(sampleTasks.length);
  const ended = await earlier;
  expect(ended.code, ended.stderr).toBe(2);
  expect(ended.stderr).toMatch(/: another process goes on with this run$/m);
  expect(new Set(teacher.asked()).size).toBe(teacher.asked().length);
});
