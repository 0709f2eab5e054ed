import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findProcesses } from '../../base/processes/findProcesses.ts';
import { findPostgres } from '../../pipeline/workers/database/postgresPrograms.ts';
import { workersFileSchema } from '../../schemas/run/workersFile.ts';
import { createProject } from '../cli/support/project.ts';
import { finished, runRefused, runWell, startCli } from '../cli/support/runCli.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** Of a process; empty where it has ended. */
function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return '';
  }
}

test('a run starts its database and its workers, and takes over what a killed one left', async () => {
  const cwd = createProject();
  await runWell(['run', '--name', 'plain'], { cwd });
  const env = { COA_TEST_RUN: cwd };
  const scale = ['scale.workers=2', 'scale.shard_tasks=4', 'scale.lease_s=2'];
  const run = ['run', '--name', 'own', ...scale.flatMap((setting) => ['--set', setting])];
  const cutOff = startCli(run, { cwd, env });
  onTestFinished(() => void cutOff.kill('SIGKILL'));
  const ended = finished(cutOff);
  const workersFile = join(cwd, 'runs/own/workers.json');
  const hasWorkers = () => existsSync(workersFile) && readFileSync(workersFile, 'utf8').includes('"room":');
  await waitUntil('the workers', hasWorkers, { child: cutOff });
  // The environment holds the run's keys: workers have it, the server does not.
  const told = findProcesses('COA_TEST_RUN', cwd)!.map(nameOf);
  expect(told.length).toBeGreaterThan(2);
  expect(told).not.toContain('postgres\n');
  cutOff.kill('SIGKILL');
  await ended;
  await runRefused(
    ['run', '--name', 'own'],
    { cwd },
    /answers that are paid for are in its own database; resume with --workers 2/,
  );
  await runWell(run, { cwd, env });
  expect(folderHashes(join(cwd, 'runs/own/dataset'))).toEqual(folderHashes(join(cwd, 'runs/plain/dataset')));
  // Its file says who worked; neither data nor processes are left.
  const { open, shards, workers } = workersFileSchema.parse(JSON.parse(readFileSync(workersFile, 'utf8')));
  expect({ open, shards }).toMatchObject({ open: false, shards: { ready: 0, taken: 0 } });
  expect(workers.map(({ shards }) => shards).reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0);
  expect(existsSync(join(cwd, 'runs/own/database'))).toBe(false);
  expect(findProcesses('COA_TEST_RUN', cwd)).toEqual([]);
});

test('a machine without PostgreSQL is told what to install', async () => {
  const found = findPostgres({ PATH: '/nowhere' }, { user: undefined, only: 9 });
  await expect(found).rejects.toThrow(
    /need PostgreSQL 9, which made its data on this machine: apt-get install postgresql .*; or name a database with --workers postgres:/,
  );
});
