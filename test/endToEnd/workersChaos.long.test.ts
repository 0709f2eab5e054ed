import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readSpent } from '../../calls/budget/spendingLog.ts';
import { SharedDatabase } from '../../pipeline/workers/database/sharedDatabase.ts';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { type CliResult, finished, runWell, startCli } from '../cli/support/runCli.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { type Postgres, startPostgres } from '../support/startPostgres.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type BlackHole, startBlackHole } from './support/startBlackHole.ts';
import { startTeacherProcess, type TeacherProcess } from './support/startTeacherProcess.ts';

/** CI tries one seed; a campaign asks for more: COA_CHAOS_SEEDS=20 COA_CHAOS_FIRST=1 COA_CHAOS_TASKS=1600 COA_CHAOS_STEPS=2. */
const seeds = Number(process.env.COA_CHAOS_SEEDS ?? 1);
const firstSeed = Number(process.env.COA_CHAOS_FIRST ?? 1);
const taskCount = Number(process.env.COA_CHAOS_TASKS ?? 64);
/** Most steps of a task's conversation, from 2 (3 calls) on; absent: all 8 (15 calls). */
const steps = process.env.COA_CHAOS_STEPS ? Number(process.env.COA_CHAOS_STEPS) : undefined;

const perMinute = Number(process.env.COA_CHAOS_RPM ?? 12_000);
const concurrency = 8;
const leaseS = 4;
/** Longer than the lease, so that others take over. */
const silenceMs = 5_000;

/** What befalls a run, each at least once. */
const disturbances = ['kill', 'stop', 'restart', 'hole', 'coordinator', 'drain', 'add'] as const;
type Disturbance = (typeof disturbances)[number];

let postgres: Postgres;
let hole: BlackHole;

beforeAll(async () => {
  postgres = startPostgres();
  hole = await startBlackHole(postgres.socket);
});

afterAll(() => {
  hole?.close();
  postgres?.stop();
});

test(
  'workers, the coordinator and the database are killed, stopped and cut off: the same bytes, and only what was in flight is paid again',
  async () => {
    const cwd = temporaryFolder();
    // Short conversations stay in the dataset, too.
    const settings = {
      folder: cwd,
      tasks: jsonLines(riverTasks(taskCount)),
      more: 'filters: { grounding: { drop: false }, min_interactions: 0 }',
    };
    createProject(settings);
    const teacher = await startTeacherProcess(cwd, 40, { steps });
    onTestFinished(() => teacher.stop());
    const endpoint = `{ base_url: "${teacher.baseUrl}", api_key_env: "", structured_answers: openai_schema, requests_per_minute: ${perMinute}, concurrency: ${concurrency} }`;
    createProject({
      ...settings,
      teacher: `{ model: { model: m, endpoint: ${endpoint} }, concurrency: ${concurrency} }`,
    });
    await runWell(['run', '--name', 'plain'], { cwd });
    const asked = teacher.asked();
    const { fenced, lost } = await watchDatabase();
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      teacher.forget();
      const chaos = new Chaos(cwd, seed, teacher, asked.length);
      const ended = await chaos.run();
      const told = `seed ${seed}: ${chaos.told.join(', ')}`;
      expect(ended.code, `${told}\n${ended.stderr}`).toBe(0);
      const shared = join(cwd, 'runs', chaos.name);
      expect(folderHashes(join(shared, 'dataset')), told).toEqual(
        folderHashes(join(cwd, 'runs/plain/dataset')),
      );
      const requests = teacher.asked();
      expect([...new Set(requests)].sort(), told).toEqual([...new Set(asked)].sort());
      const twice = requests.length - asked.length;
      // On a loaded machine a worker may get no core for the time of its lease.
      const most = Math.max(chaos.cutOff, chaos.restarts + (await lost())) * concurrency;
      expect(twice, told).toBeLessThanOrEqual(most);
      expect(teacher.mostInMinute(), told).toBeLessThanOrEqual(perMinute);
      const spent = await readSpent(shared);
      expect(spent.attempts, told).toBeGreaterThanOrEqual(requests.length);
      const bill = teacher.billed().reduce((sum, tokens) => sum + tokens, 0);
      expect(bill, told).toBeGreaterThan(0);
      expect(spent.tokens, told).toBeGreaterThanOrEqual(bill);
      const traces = readFileSync(join(shared, 'rollout/records.jsonl'), 'utf8').trimEnd().split('\n');
      expect(new Set(traces.map((line) => JSON.parse(line).index)).size, told).toBe(traces.length);
      expect(await fenced(), told).toBe(0);
      process.stdout.write(
        `${told}: ${twice} of ${requests.length} calls paid twice (at most ${most}), ${spent.tokens} tokens entered for a bill of ${bill}, ${teacher.mostInMinute()} calls in a minute of ${perMinute}\n`,
      );
    }
  },
  seeds * (300_000 + taskCount * 3_000),
);

/** A run that is disturbed in an order that its seed says. */
class Chaos {
  readonly name: string;
  /** What befell it. */
  readonly told: string[] = [];
  /** How often a worker was cut off from what it had in flight. */
  cutOff = 0;
  /** How often the database was. */
  restarts = 0;
  readonly #cwd: string;
  readonly #teacher: TeacherProcess;
  readonly #calls: number;
  readonly #random: () => number;
  readonly #workers: ChildProcess[] = [];
  #coordinator: ChildProcess;
  #ended: Promise<CliResult>;
  #isOver = false;

  constructor(cwd: string, seed: number, teacher: TeacherProcess, calls: number) {
    this.#cwd = cwd;
    this.#teacher = teacher;
    this.#calls = calls;
    this.#random = seededRandom(seed * 7919);
    for (let n = 0; n < 10; n++) this.#random();
    this.name = `seed${seed}`;
    this.#coordinator = this.#startCoordinator();
    this.#ended = this.#watch();
    for (let n = 0; n < 3; n++) this.#startWorker(n === 0);
  }

  async run(): Promise<CliResult> {
    const planned = [...disturbances, ...disturbances.filter(() => this.#random() < 0.3)]
      .map((what) => ({ what, order: this.#random(), share: 0.08 + 0.8 * this.#random() }))
      .sort((a, b) => a.share - b.share);
    for (const { what, share } of planned) {
      await this.#reached(share);
      if (this.#isOver) break;
      this.told.push(`${what} at ${Math.round(share * 100)} %`);
      await this.#disturb(what);
    }
    const ended = await this.#ended;
    for (const worker of this.#workers) {
      worker.kill('SIGCONT');
      worker.kill('SIGKILL');
    }
    return ended;
  }

  async #disturb(what: Disturbance): Promise<void> {
    if (what === 'restart') {
      // Claims of the last half second may be lost with it.
      this.cutOff++;
      this.restarts++;
      postgres.restartAtOnce();
    } else if (what === 'coordinator') await this.#restartCoordinator();
    else if (what === 'hole') {
      this.cutOff++;
      hole.swallow(silenceMs);
    } else if (what === 'add') this.#startWorker(false);
    else this.#take(what);
  }

  /** Takes a worker away, and starts another one in its place. */
  #take(how: 'kill' | 'stop' | 'drain'): void {
    // The first one sits behind the hole.
    const at = 1 + Math.floor(this.#random() * (this.#workers.length - 1));
    const [worker] = this.#workers.splice(at, 1);
    if (how !== 'drain') this.cutOff++;
    worker!.kill(how === 'kill' ? 'SIGKILL' : how === 'stop' ? 'SIGSTOP' : 'SIGTERM');
    if (how === 'stop') setTimeout(() => worker!.kill('SIGCONT'), silenceMs);
    if (how === 'stop') this.#workers.push(worker!);
    this.#startWorker(false);
  }

  async #restartCoordinator(): Promise<void> {
    this.#coordinator.kill('SIGKILL');
    await this.#ended;
    const beganMs = Date.now();
    this.#coordinator = this.#startCoordinator();
    this.#ended = this.#watch();
    const workersFile = join(this.#cwd, 'runs', this.name, 'workers.json');
    await waitUntil('the coordinator', () => this.#isOver || statSync(workersFile).mtimeMs >= beganMs);
  }

  async #watch(): Promise<CliResult> {
    const coordinator = this.#coordinator;
    const ended = await finished(coordinator);
    if (coordinator === this.#coordinator && !coordinator.killed) this.#isOver = true;
    return ended;
  }

  async #reached(share: number): Promise<void> {
    const calls = share * this.#calls;
    const isReached = () => this.#isOver || this.#teacher.asked().length >= calls;
    await waitUntil(`${calls} calls`, isReached, { everyMs: 5, limitMs: 600_000 });
  }

  #startCoordinator(): ChildProcess {
    const lease = ['--set', `scale.lease_s=${leaseS}`];
    const coordinator = startCli(['run', '--name', this.name, '--workers', postgres.url, ...lease], {
      cwd: this.#cwd,
    });
    onTestFinished(() => void coordinator.kill('SIGKILL'));
    return coordinator;
  }

  #startWorker(isBehindHole: boolean): void {
    const { url } = isBehindHole ? hole : postgres;
    const worker = startCli(['workers', 'join', url], { cwd: this.#cwd });
    worker.stdout!.resume();
    worker.stderr!.resume();
    onTestFinished(() => void worker.kill('SIGKILL'));
    this.#workers.push(worker);
  }
}

/**
 * Counts outcomes that were written for a shard whose owner has lost its lease, of which there must be none, and the
 * leases that ran out since the last count.
 */
async function watchDatabase() {
  const database = await SharedDatabase.open(postgres.url, () => {});
  onTestFinished(() => database.close());
  await database.query('CREATE TABLE fenced (shard bigint)');
  await database.query(`CREATE FUNCTION note_fenced() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO fenced SELECT shard.id FROM shard LEFT JOIN worker ON worker.id = shard.owner
      WHERE shard.id = NEW.shard AND (shard.state <> 'taken' OR worker.dead IS NOT FALSE);
    RETURN NULL; END $$`);
  await database.query(
    'CREATE TRIGGER fenced AFTER INSERT ON outcome FOR EACH ROW EXECUTE FUNCTION note_fenced()',
  );
  await database.query('CREATE TABLE lost (worker bigint)');
  await database.query(`CREATE FUNCTION note_lost() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.dead AND NOT OLD.dead AND NEW.lease_until < clock_timestamp() THEN INSERT INTO lost VALUES (NEW.id); END IF;
    RETURN NULL; END $$`);
  await database.query(
    'CREATE TRIGGER lost AFTER UPDATE ON worker FOR EACH ROW EXECUTE FUNCTION note_lost()',
  );
  const counted = async (sql: string) => (await database.query<{ count: number }>(sql))[0]!.count;
  return {
    fenced: () => counted('SELECT count(*)::int AS count FROM fenced'),
    lost: () =>
      counted('WITH gone AS (DELETE FROM lost RETURNING 1) SELECT count(*)::int AS count FROM gone'),
  };
}
