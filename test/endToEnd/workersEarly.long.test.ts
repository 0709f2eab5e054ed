import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../base/systemClock.ts';
import { workOnRuns } from '../../pipeline/workers/workOnRuns.ts';
import { readBody } from '../../teachers/scripted/httpAnswers.ts';
import { createProject } from '../cli/support/project.ts';
import { finished, runCli, runWell, startCli } from '../cli/support/runCli.ts';
import { answerKeyOf } from '../support/answerKey/answerKeyOf.ts';
import { freePorts } from '../support/freePorts.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { usePostgres } from './support/usePostgres.ts';

const postgres = usePostgres();

test('a look at an empty database says that there is no run and makes nothing, and a worker of little rights waits', async () => {
  for (const [order, said] of [
    ['status', 'no run'],
    ['stop', 'no worker is working'],
  ]) {
    const looked = await runCli(['workers', order!, postgres.url], { cwd: temporaryFolder() });
    expect(looked).toMatchObject({ code: 0, stdout: `${said}\n`, stderr: '' });
  }
  const database = await postgres.open({ makesTables: false });
  expect(await database.hasTables()).toBe(false);
  await database.query('CREATE ROLE early LOGIN');
  const drain = new AbortController();
  const looks: number[] = [];
  const clock = {
    ...systemClock,
    async sleep(ms: number) {
      looks.push(ms);
      if (looks.length === 2) drain.abort();
    },
  };
  const [url, signal] = [postgres.url.replace('coa@', 'early@'), new AbortController().signal];
  await workOnRuns({ database: url, env: {}, clock, drain: drain.signal, signal, log: () => {} });
  expect(looks).toHaveLength(2);
  expect(await database.hasTables()).toBe(false);
});

test('a worker that lacks a key or the endpoint says so and takes no task, the coordinator says so too, and others do the work', async () => {
  const folder = temporaryFolder();
  const cwd = createProject({ folder });
  const answer = await answerKeyOf(join(cwd, 'coa.yaml'));
  const [port] = (await freePorts(1)) as [number];
  const endpoint = { base_url: `http://127.0.0.1:${port}/v1`, api_key_env: 'A_KEY' };
  createProject({ folder, teacher: JSON.stringify({ model: { model: 'm', endpoint }, concurrency: 4 }) });
  const running = startCli(['run', '--workers', postgres.url], { cwd });
  onTestFinished(() => void running.kill('SIGKILL'));
  const ended = finished(running);
  const work = (key: string) =>
    finished(
      startCli(['workers', 'join', postgres.url, '--once'], { cwd: temporaryFolder(), env: { A_KEY: key } }),
    );
  const [keyless, cutOff] = [await work(''), await work('k')];
  expect(keyless).toMatchObject({ code: 2, stderr: expect.stringMatching(/A_KEY/) });
  expect(cutOff).toMatchObject({ code: 1, stderr: expect.stringMatching(/can't be reached/) });
  const server = createServer(async (request, response) => answer((await readBody(request)) ?? '', response));
  server.listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  expect(await work('k')).toMatchObject({ code: 0 });
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(0);
  expect(stderr.match(/^worker .* left: .*A_KEY/gm)).toHaveLength(1);
  expect(stderr.match(/^worker .* left: .*can't be reached/gm)).toHaveLength(1);
});

test('a worker leaves a run whose coordinator is gone for one that waits, and no version is refused for such a run', async () => {
  const database = await postgres.open();
  const run = ['run', '--workers', postgres.url, '--set', 'scale.lease_s=3'];
  const coordinator = startCli(run, { cwd: createProject() });
  coordinator.stderr!.resume();
  const worker = startCli(['workers', 'join', postgres.url], { cwd: temporaryFolder() });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const worked = finished(worker);
  const rooms = () => database.query('SELECT room FROM worker WHERE room > 0');
  await expect.poll(rooms, { timeout: 60_000 }).toHaveLength(1);
  coordinator.kill('SIGKILL');
  const other = `INSERT INTO run (key, place, name, version, lease_s, state) VALUES ('k', '', 'old', '0.0.1', 3, 'open')`;
  await database.query(other);
  await runWell(run, { cwd: createProject() });
  worker.kill('SIGTERM');
  expect((await worked).stderr).toMatch(/its coordinator is away, and another run waits for workers/);
});

test('a run that is worked on is not removed by one of a machine of the same name with the same folder', async () => {
  const database = await postgres.open();
  const cwd = createProject();
  const insert = `WITH made AS (INSERT INTO run (key, place, name, version, lease_s) VALUES ($1, $2, $1, 'x', 3) RETURNING id)
    INSERT INTO worker (run, name, is_coordinator, lease_until) SELECT id, $1, true, clock_timestamp() + $3::interval FROM made`;
  const place = `${hostname()}:${join(cwd, 'runs/coa')}`;
  await database.query(insert, ['living', place, '1 hour']);
  await database.query(insert, ['gone', place, '-1 hour']);
  const running = startCli(['run', '--workers', postgres.url], { cwd });
  onTestFinished(() => void running.kill('SIGKILL'));
  const keys = async () => {
    const rows = await database.query<{ name: string }>('SELECT name FROM run WHERE place = $1', [place]);
    return rows.map(({ name }) => name).sort();
  };
  await expect.poll(keys, { timeout: 60_000 }).toEqual(['coa', 'living']);
});
