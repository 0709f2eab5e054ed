import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { sha256Hex } from '../../base/ids.ts';
import { systemClock } from '../../base/systemClock.ts';
import { readSpent } from '../../calls/budget/spendingLog.ts';
import { ClaimedShards } from '../../pipeline/workers/claimedShards.ts';
import { Membership } from '../../pipeline/workers/database/membership.ts';
import { HAND_OUT } from '../../pipeline/workers/database/shardStatements.ts';
import { SharedAnswerCache } from '../../pipeline/workers/database/sharedAnswerCache.ts';
import { pack, SharedDatabase, WorkerLost } from '../../pipeline/workers/database/sharedDatabase.ts';
import { readWorkersFile } from '../../pipeline/workers/workersFile.ts';
import type { CachedAnswer } from '../../schemas/run/cachedAnswer.ts';
import { type WorkersView, workersView } from '../../schemas/run/workersView.ts';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { finished, runCli, runRefused, runWell, startCli } from '../cli/support/runCli.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { startBlackHole } from './support/startBlackHole.ts';
import { startTeacherProcess } from './support/startTeacherProcess.ts';
import { usePostgres } from './support/usePostgres.ts';

const quickstart = fileURLToPath(new URL('../../examples/quickstart.yaml', import.meta.url));

const postgres = usePostgres();

test('the example gives the same bytes and the same counts with one and two workers as without', async () => {
  const cwd = temporaryFolder();
  const run = [
    'run',
    quickstart,
    '--set',
    `runs_dir=${join(cwd, 'runs')}`,
    '--limit',
    '12',
    '--json',
    '--name',
  ];
  const plain = await runWell([...run, 'plain'], { cwd });
  const { funnel, roles } = JSON.parse(plain.stdout);
  for (const workers of [1, 2]) {
    const started = Array.from({ length: workers }, () => finished(postgres.startWorker(['--once'])));
    const shared = await runWell([...run, `by${workers}`, '--workers', postgres.url], { cwd });
    expect(JSON.parse(shared.stdout)).toMatchObject({ funnel });
    expect(JSON.parse(shared.stdout).roles.length).toBe(roles.length);
    expect(folderHashes(join(cwd, `runs/by${workers}/dataset`))).toEqual(
      folderHashes(join(cwd, 'runs/plain/dataset')),
    );
    expect(await readSpent(join(cwd, `runs/by${workers}`))).toEqual(await readSpent(join(cwd, 'runs/plain')));
    for (const { code, stderr } of await Promise.all(started)) expect(code, stderr).toBe(0);
    const view = await workersOf(join(cwd, `runs/by${workers}`));
    expect(view.workers.map(({ state }) => state)).toEqual(started.map(() => 'left'));
    const worked = funnel.filter(({ stage }: { stage: string }) => ['rollout', 'judge'].includes(stage));
    expect(sumOf(view.workers, 'records')).toBe(sumOf(worked, 'entered'));
    expect(sumOf(view.workers, 'shards')).toBe(view.shards.done);
    for (const { cpu_ms } of view.workers) expect(cpu_ms).toBeGreaterThan(0);
  }
});

async function workersOf(runFolder: string): Promise<WorkersView> {
  return workersView((await readWorkersFile(runFolder))!);
}

function sumOf<Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return rows.reduce((sum, row) => sum + row[key], 0);
}

test('nothing that a worker does counts once it has lost its lease', async () => {
  const database = await openDatabase();
  const run = await insertRun(database, { leaseS: 600 });
  const join = (name: string) => joinRun(database, run, name);
  const [first, second] = [await join('first'), await join('second')];
  const insert = `INSERT INTO shard (run, stage, keys, inputs) VALUES ($1, 'rollout', '{a,b}', '')`;
  await database.query(insert, [run]);
  const claim = async (worker: Membership) =>
    (
      await database.query<{ id: string; fence: number; done: number[] | null }>(
        `SELECT id, fence, done FROM claim_shard($1, 'rollout', '{}')`,
        [worker.id],
      )
    )[0]!;
  const put = (worker: Membership, { id, fence }: { id: string; fence: number }, nth: number) =>
    database.query<{ put: boolean }>('SELECT put_outcomes($1, $2, $3, $4, $5) AS put', [
      worker.id,
      id,
      fence,
      [nth],
      [Buffer.from('x')],
    ]);
  const claimed = await claim(first);
  expect(await put(first, claimed, 0)).toEqual([{ put: true }]);
  await database.query('SELECT expire($1)', [first.id]);
  await expect(put(first, claimed, 1)).rejects.toThrow(WorkerLost);
  await expect(claim(first)).rejects.toThrow(/has lost its lease/);
  const taken = await claim(second);
  expect(taken).toMatchObject({ id: claimed.id, done: [0] });
  expect(await put(second, claimed, 1)).toEqual([{ put: false }]);
  expect(await put(second, taken, 1)).toEqual([{ put: true }]);
  // Once more, as after a lost reply.
  expect(await put(second, taken, 1)).toEqual([{ put: true }]);
  const rows = await database.query('SELECT nth FROM outcome WHERE shard = $1 ORDER BY nth', [taken.id]);
  expect(rows).toEqual([{ nth: 0 }, { nth: 1 }]);
  await second.leave();
});

test('a worker gets every shard that it claimed, though each reply of the database is lost once', async () => {
  const database = await openDatabase();
  const run = await insertRun(database, { leaseS: 600 });
  for (const shard of ['a', 'b', 'c']) await handOut(database, run, [`${shard}1`, `${shard}2`]);
  const member = await joinRun(database, run, 'cut off');
  const ended = new AbortController();
  const shards = new ClaimedShards({
    database: answeringTwice(database),
    worker: member.id,
    stage: 'rollout',
    clock: systemClock,
    drain: AbortSignal.any([ended.signal, AbortSignal.timeout(20_000)]),
    onFault: (error) => ended.abort(error),
  });
  const seen: string[] = [];
  for await (const { index, record } of shards.read(z.string())) {
    seen.push(record);
    shards.record({ index, recordId: record, taskId: record, outcome: { kind: 'emit', records: [] } });
    if (seen.length === 6) ended.abort();
  }
  await shards.flush();
  expect(seen.sort()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
  const states = await database.query('SELECT DISTINCT state FROM shard WHERE run = $1', [run]);
  expect(states).toEqual([{ state: 'done' }]);
  await member.leave();
});

test('a shard is handed out once, and none is taken for it that begins with the same task', async () => {
  const database = await openDatabase();
  const run = await insertRun(database, { leaseS: 600 });
  for (const keys of [['a'], ['a', 'b'], ['a', 'b']]) await handOut(database, run, keys);
  const held = await database.query('SELECT keys FROM shard WHERE run = $1 ORDER BY id', [run]);
  expect(held).toEqual([{ keys: ['a'] }, { keys: ['a', 'b'] }]);
});

test('a worker notices while its lease lasts that the database has vanished, and uses it again when it is back', async () => {
  const run = await insertRun(await openDatabase(), { leaseS: 2 });
  const hole = await startBlackHole(postgres.socket);
  onTestFinished(() => hole.close());
  const said: string[] = [];
  const database = await SharedDatabase.open(hole.url, (line) => said.push(line));
  onTestFinished(() => database.close());
  const member = await joinRun(database, run, 'cut off', 2);
  let isBack = false;
  // Longer than the lease, and shorter than statements are waited for without one.
  hole.swallow(7_000);
  setTimeout(() => {
    isBack = true;
  }, 7_000);
  await expect.poll(() => said.join(), { timeout: 60_000 }).toMatch(/does not answer, trying on/);
  expect(isBack).toBe(false);
  await expect.poll(() => said.join(), { timeout: 60_000 }).toMatch(/answers again/);
  await member.leave();
});

test('one machine at a time asks for an answer, and another one once it has lost its lease', async () => {
  const database = await openDatabase();
  const run = await insertRun(database, { leaseS: 600 });
  const [first, second] = [await joinRun(database, run, 'a'), await joinRun(database, run, 'b')];
  const caches = [first, second].map((worker) => new SharedAnswerCache(database, { run, worker: worker.id }));
  const { signal } = new AbortController();
  const asked: string[] = [];
  const find = async (at: number, request: string, ask: () => Promise<void>) => {
    const cache = caches[at]!;
    const key = { request: sha256Hex(request), provider: 'local' };
    return cache.alone(key, signal, async () => {
      const kept = await cache.lookup(key);
      if (kept) return kept.answer.observation;
      asked.push(`${request} by ${at}`);
      await ask();
      const said = { observation: `by ${at}`, raw: null };
      const told = {
        ...key,
        kind: 'tool',
        name: 't',
        sample: 0,
        task_id: '',
        created_at: '2026-01-01T00:00:00.000Z',
      };
      return (await cache.store({ ...told, answer: said } as CachedAnswer)).answer.observation;
    });
  };
  const begun = (what: string) => expect.poll(() => asked).toContain(what);
  const answer = Promise.withResolvers<void>();
  const one = find(0, 'q', () => answer.promise);
  await begun('q by 0');
  const other = find(1, 'q', () => answer.promise);
  // Time in which the second could ask.
  await delay(100);
  answer.resolve();
  expect(await Promise.all([one, other])).toEqual(['by 0', 'by 0']);
  expect(asked).toEqual(['q by 0']);
  // A failure lets the next one ask at once.
  await expect(find(0, 'r', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await find(1, 'r', async () => {})).toEqual('by 1');
  // The first is cut off while it asks: the second asks, and the late answer is not used.
  const late = Promise.withResolvers<void>();
  const cutOff = find(0, 's', () => late.promise);
  await begun('s by 0');
  await database.query('SELECT expire($1)', [first.id]);
  expect(await find(1, 's', async () => {})).toEqual('by 1');
  late.resolve();
  expect(await cutOff).toEqual('by 1');
  expect(asked.filter((what) => what.startsWith('s'))).toEqual(['s by 0', 's by 1']);
  await second.leave();
});

test('workers are started by a launcher, seen, drained and stopped', async () => {
  // So many that they last until both workers are gone.
  const rows = riverTasks(150);
  const settings = { folder: temporaryFolder(), tasks: jsonLines(rows) };
  const cwd = createProject(settings);
  const teacher = await startTeacherProcess(cwd, 150);
  onTestFinished(() => teacher.stop());
  const endpoint = { base_url: teacher.baseUrl, api_key_env: '' };
  createProject({
    ...settings,
    teacher: JSON.stringify({ model: { model: 'm', endpoint }, concurrency: 4 }),
  });
  const workers = (...args: string[]) => runCli(['workers', ...args], { cwd });
  const withPassword = await workers('start', postgres.url.replace('coa@', 'coa:s3cret@'));
  expect(withPassword).toMatchObject({ code: 2 });
  expect(withPassword.stderr).toMatch(/put it into PGPASSWORD/);
  expect(withPassword.stderr).not.toContain('s3cret');
  const started = await workers('start', postgres.url, '--count', '2');
  expect(started.stderr + started.stdout).toMatch(/2 workers started by local; their files are in workers/);
  expect((await workers('start', postgres.url)).stderr).toMatch(/holds workers that were started before/);
  onTestFinished(() => workers('stop', postgres.url, '--now', '--folder', 'workers').then(() => undefined));
  const running = runCli(['run', '--workers', postgres.url, '--set', 'scale.lease_s=6'], { cwd });
  const read = async () => JSON.parse((await workers('status', postgres.url, '--json')).stdout).runs[0];
  const withRoom = async () =>
    ((await read())?.workers ?? []).filter((worker: { room: number }) => worker.room > 0);
  await waitUntil('two workers', async () => (await withRoom()).length === 2);
  const [first, second] = (await read()).workers;
  expect((await workers('stop', postgres.url, '--worker', first.name)).stdout).toBe(
    `told to drain: ${first.name}\n`,
  );
  await waitUntil('one worker', async () => (await read()).workers.length <= 1, { everyMs: 50 });
  expect((await read()).workers[0].name).toBe(second.name);
  expect((await workers('stop', postgres.url, '--now')).stdout).toBe(`told to stop: ${second.name}\n`);
  await waitUntil('no worker', async () => (await read()).workers.length === 0, { everyMs: 50 });
  teacher.hurry();
  postgres.startWorker(['--once']);
  const ended = await running;
  expect(ended.code, ended.stderr).toBe(0);
  const { stdout } = await workers('status', postgres.url, '--folder', 'workers');
  expect(stdout.replaceAll(cwd, '')).toBe('no run\n/workers/1: ended (0)\n/workers/2: ended (0)\n');
});

test('another version is refused, and so is a run that goes on without its workers', async () => {
  const database = await openDatabase();
  await insertRun(database, { leaseS: 60, version: '0.0.1' });
  const refused = await runCli(['workers', 'join', postgres.url, '--once'], { cwd: temporaryFolder() });
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(
    /the run held was begun by 0\.0\.1: install coa-distill@0\.0\.1 on this machine/,
  );
  await database.query('DELETE FROM run');
  const cwd = createProject();
  const coordinator = startCli(['run', '--workers', postgres.url], { cwd });
  const ended = finished(coordinator);
  await waitUntil('the workers’ file', () => existsSync(join(cwd, 'runs/coa/workers.json')), {
    everyMs: 10,
    child: coordinator,
  });
  coordinator.kill('SIGKILL');
  await ended;
  await runRefused(
    ['run'],
    { cwd },
    /was cut off while workers were at it: .* resume with --workers postgres:/,
  );
});

test('tables of another version are replaced where they hold no run', async () => {
  const url = postgres.url.replace(/postgres$/, 'earlier');
  const maintenance = await openDatabase();
  await maintenance.query('CREATE DATABASE earlier');
  const open = async () => {
    const database = await SharedDatabase.open(url, () => {});
    onTestFinished(() => database.close());
    return database;
  };
  const layout = `SELECT obj_description('coa_distill'::regnamespace, 'pg_namespace') AS layout`;
  const database = await open();
  const [newest] = await database.query(layout);
  await database.query(`COMMENT ON SCHEMA coa_distill IS 'layout 0'`);
  expect(await database.hasTables()).toBe(false);
  await insertRun(database, { leaseS: 60, version: '0.0.1' });
  await expect(database.hasTables()).rejects.toThrow(/holds the run held of coa-distill 0\.0\.1/);
  await expect(open()).rejects.toThrow(/holds the run held of coa-distill 0\.0\.1/);
  await database.query('DELETE FROM run');
  expect(await (await open()).query(layout)).toEqual([newest]);
});

test('a worker with the rights of its role alone finishes a run, and can do nothing else', async () => {
  const database = await openDatabase();
  await database.query('CREATE ROLE coa_worker');
  await database.query('CREATE ROLE hand LOGIN IN ROLE coa_worker');
  const cwd = createProject();
  const running = runCli(['run', '--workers', postgres.url], { cwd });
  await waitUntil('the workers’ file', () => existsSync(join(cwd, 'runs/coa/workers.json')));
  const url = postgres.url.replace('coa@', 'hand@');
  const worker = startCli(['workers', 'join', url, '--once'], { cwd });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const worked = finished(worker);
  const ended = await running;
  expect(ended.code, ended.stderr).toBe(0);
  const { code, stderr } = await worked;
  expect(code, stderr).toBe(0);
  const hand = await SharedDatabase.open(url, () => {});
  onTestFinished(() => hand.close());
  for (const forbidden of [
    'SELECT * FROM shard',
    'SELECT * FROM outcome',
    'UPDATE share SET spent_usd = 0',
    "UPDATE run SET name = 'x'",
    'DELETE FROM answer',
    'SELECT * FROM call',
    'DROP TABLE answer',
    'CREATE TABLE mine (a int)',
  ])
    await expect(hand.query(forbidden), forbidden).rejects.toThrow(/permission denied|must be owner/);
});

test('an address is never shown with its password', async () => {
  const wrong = 'postgres://coa:s3cret-pass@127.0.0.1:1/db?sslmode=disable';
  for (const command of [
    ['workers', 'join', wrong],
    ['run', '--workers', wrong],
    ['run', '--set', `scale.database=${wrong}`],
    ['workers', 'status', wrong],
  ]) {
    const { code, stdout, stderr } = await runCli(command, { cwd: createProject() });
    expect(code).toBe(2);
    expect(`${stdout}${stderr}`).toContain('postgres://coa@127.0.0.1:1/db');
    expect(`${stdout}${stderr}`).not.toContain('s3cret');
  }
});

async function openDatabase(): Promise<SharedDatabase> {
  const database = await SharedDatabase.open(postgres.url, () => {});
  onTestFinished(async () => {
    await database.query(`DELETE FROM run WHERE name = 'held'`);
    await database.close();
  });
  return database;
}

async function insertRun(
  database: SharedDatabase,
  { leaseS, version = 'x' }: { readonly leaseS: number; readonly version?: string },
): Promise<string> {
  const sql = `INSERT INTO run (key, place, name, version, lease_s, state) VALUES ($1, '', 'held', $2, $3, 'open') RETURNING id::text`;
  const [row] = await database.query<{ id: string }>(sql, [crypto.randomUUID(), version, leaseS]);
  return row!.id;
}

function handOut(database: SharedDatabase, run: string, records: readonly string[]): Promise<object[]> {
  const inputs = records.map((record) => ({ record }));
  return database.query(HAND_OUT, [run, 'rollout', records, pack(inputs)]);
}

/** The first reply to each statement is lost, so that it is run again. */
function answeringTwice(database: SharedDatabase): SharedDatabase {
  const query: SharedDatabase['query'] = async (text, values) => {
    await database.query(text, values);
    return database.query(text, values);
  };
  return Object.create(database, { query: { value: query } });
}

function joinRun(database: SharedDatabase, run: string, name: string, leaseS = 600): Promise<Membership> {
  const load = () => ({ room: 1, working: 0 });
  const part = { isCoordinator: false, leaseS, clock: systemClock, load, onState: () => {} };
  return Membership.join({ database, run, name, ...part });
}
