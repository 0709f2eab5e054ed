/**
 * What workers do together: calls a second of 1, 2 and 4 workers against a slow endpoint, the CPU time of a call in the
 * workers, the coordinator and the database, and how long others take to take over from a worker that is killed. The
 * database is one that a run would start for itself, with the disk's own durability; the endpoint is a process of its own.
 *
 * Figures of a call are those between the first quarter of the calls and the last tenth: starts and ends are left out.
 * The size of the database and the memory of all processes are shown over time.
 *
 * No goals: the figures are for docs/scale-out.md, from a quiet machine with a core for each process. Run with `make
 * bench`, or for other sizes `WORKERS_BENCH=1,2,4:1024:2000:2048:8 node bench/workers.bench.ts`: numbers of workers, calls
 * in flight of each, milliseconds of an answer, tasks of each, and steps of a conversation, from 2 to 8. With 1 step a task is
 * one call of a model that plays all roles alone: `WORKERS_BENCH_KILL=0 WORKERS_BENCH=2:256:0:500000:1` is a million tasks.
 * `WORKERS_BENCH_KILL=0` leaves out the run in which a worker is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startOwnDatabase } from '../pipeline/workers/database/ownDatabase.ts';
import { SharedDatabase } from '../pipeline/workers/database/sharedDatabase.ts';
import { startTeacherServer } from './support/startTeacherServer.ts';
import { inWords, perCall, type WorkersSample, WorkersWatch } from './support/watchWorkers.ts';

const [counts = '', inFlight = '', latency = '', ofEach, steps = '8'] = (
  process.env.WORKERS_BENCH ?? '1,2,4:1024:2000'
).split(':');
const LATENCY_MS = Number(latency);
const IN_FLIGHT = Number(inFlight);
const STEPS = Number(steps);
/** Short where a worker is killed; elsewhere nobody is to lose it because the machine is busy or paused. */
const LEASE_S = { killed: 10, other: 600 };
/** Tasks of each worker. */
const TASKS = Number(ofEach ?? 2 * IN_FLIGHT);
/** Times that a run is shown while it goes on. */
const SHOWN = 40;
/** Stages that workers work on. */
const SHARDED = 2;

const launcher = fileURLToPath(new URL('../bin/coa-distill.js', import.meta.url));

for (const workers of counts.split(',').map(Number)) await measure(workers, false);
if (process.env.WORKERS_BENCH_KILL !== '0') await measure(2, true);

async function measure(workers: number, isKilled: boolean): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'workers-bench-'));
  const project = writeProject(cwd, workers * TASKS);
  const teacher = await startTeacherServer({ ...project, latencyMs: LATENCY_MS, steps: STEPS });
  mkdirSync(join(cwd, 'database'));
  const own = await startOwnDatabase(join(cwd, 'database'), { workers, env: process.env });
  const database = await SharedDatabase.open(own.url, () => {});
  const started: ChildProcess[] = [];
  try {
    const begin = (...args: string[]) => {
      const child = spawn(process.execPath, [launcher, ...args], {
        cwd,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      started.push(child);
      return child;
    };
    const working = Array.from({ length: workers }, () => begin('workers', 'join', own.url, '--once'));
    const lease = ['--set', `scale.lease_s=${isKilled ? LEASE_S.killed : LEASE_S.other}`];
    const endpoint = [
      '--base-url',
      teacher.baseUrl,
      '--set',
      `teacher.model.endpoint.concurrency=${IN_FLIGHT}`,
    ];
    const coordinator = begin('run', 'coa.yaml', '--workers', own.url, ...lease, ...endpoint);
    const ended = once(coordinator, 'exit') as Promise<[number | null]>;
    const watch = new WorkersWatch(database, {
      workers: working.map(({ pid }) => pid!),
      coordinator: [coordinator.pid!],
      database: [await serverPid(database)],
    });
    const takeover = isKilled ? killOne(database, working[0]!, coordinator) : undefined;
    const samples: WorkersSample[] = [];
    const beganMs = performance.now();
    let shown = 0;
    while (coordinator.exitCode === null && coordinator.signalCode === null) {
      const { requests: calls } = await teacher.figures();
      const sample = await watch.look(calls);
      samples.push(sample);
      if ((SHOWN * sample.records) / (SHARDED * workers * TASKS) > shown) {
        console.log(`    ${inWords(sample, beganMs)}`);
        shown++;
      }
      await delay(500);
    }
    const [code] = await ended;
    const { requests, mostAtOnce } = await teacher.figures();
    const first = samples.find(({ calls }) => calls >= 0.25 * requests)!;
    const last = samples.findLast(({ calls }) => calls <= 0.9 * requests)!;
    console.log(
      `${workers} workers${isKilled ? ', one killed' : ''}, ${IN_FLIGHT} in flight each, ${LATENCY_MS} ms: ` +
        `${code === 0 ? '' : `EXIT CODE ${code}, `}${requests} calls, at most ${mostAtOnce} at once; ` +
        `${perCall(first, last)}; load ${loadavg()[0]!.toFixed(1)}`,
    );
    console.log(`    ${inWords(samples.at(-1)!, beganMs)}`);
    if (takeover) console.log(`    ${await takeover}`);
  } finally {
    for (const child of started) child.kill('SIGKILL');
    await database.close();
    await own.stop({ remove: true });
    teacher.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Multi-hop tasks, whose only tool is a small index: time goes to models. */
function writeProject(cwd: string, tasks: number): { configFile: string; tasksFile: string } {
  const lines = (count: number, row: (n: number) => object) =>
    Array.from({ length: count }, (_, n) => `${JSON.stringify(row(n))}\n`).join('');
  const [configFile, tasksFile] = [join(cwd, 'coa.yaml'), join(cwd, 'tasks.jsonl')];
  const question = (n: number) => `Which river flows past town number ${n}?`;
  writeFileSync(
    tasksFile,
    lines(tasks, (n) => ({ id: `q${n}`, question: question(n), answer: `river ${n}` })),
  );
  const passages = lines(12, (n) => ({
    id: String(n),
    contents: `"Town ${n}"\nTown number ${n} lies on a river.`,
  }));
  writeFileSync(join(cwd, 'passages.jsonl'), passages);
  const alone = { backend: 'coa_model', player: { server: 'transformers' } };
  const endpoint = { api_key_env: '' };
  const teacher = { ...(STEPS === 1 && alone), model: { model: 'm', endpoint }, concurrency: IN_FLIGHT };
  const config = {
    tasks: { sources: [{ file: 'tasks.jsonl', profile: 'mhqa' }] },
    teacher,
    tools: { wiki_search: { corpus: 'passages.jsonl' } },
    filters: { grounding: { drop: false }, min_interactions: STEPS === 1 ? 0 : 1 },
  };
  writeFileSync(configFile, JSON.stringify(config));
  return { configFile, tasksFile };
}

/** The process that started all others of the server. */
async function serverPid(database: SharedDatabase): Promise<number> {
  const sql = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`;
  const [row] = await database.query<{ pid: number }>(sql);
  return Number(readFileSync(`/proc/${row!.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]);
}

/** Kills a worker that is at work, and says how long it was until its lease was over, and others had its shards. */
async function killOne(database: SharedDatabase, victim: ChildProcess, run: ChildProcess): Promise<string> {
  const held = `SELECT shard.id::text FROM shard JOIN worker ON worker.id = shard.owner
    WHERE shard.state = 'taken' AND worker.name LIKE '%:' || $1`;
  const idsOf = async () =>
    (await database.query<{ id: string }>(held, [String(victim.pid)])).map(({ id }) => id);
  let ids = await idsOf();
  while (ids.length === 0 && run.exitCode === null) {
    await delay(20);
    ids = await idsOf();
  }
  victim.kill('SIGKILL');
  const killedMs = performance.now();
  const until = async (sql: string, values: readonly (string | readonly string[])[]) => {
    while (run.exitCode === null && (await database.query(sql, values)).length > 0) await delay(20);
    return ((performance.now() - killedMs) / 1000).toFixed(1);
  };
  const lease = await until(`SELECT FROM worker WHERE name LIKE '%:' || $1 AND NOT dead`, [
    String(victim.pid),
  ]);
  const taken = await until(`SELECT FROM shard WHERE id = ANY ($1::bigint[]) AND state = 'ready'`, [ids]);
  return `killed with ${ids.length} shards, lease ${LEASE_S.killed} s: given up after ${lease} s, all taken by others after ${taken} s`;
}
