import type { Clock } from '../../base/clock.ts';
import type { Identified, StageContext } from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { unlessAborted } from '../../contract/unlessAborted.ts';
import type { RunStage } from '../run/stageState.ts';
import {
  type DoneRow,
  FETCHED,
  HAND_OUT,
  inputsOf,
  LEAVE,
  type LostRow,
  type Outcome,
  outcomesOf,
  SET_ASIDE,
  TRY_ALONE,
  workerLost,
} from './database/shardStatements.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';
import { pack, unpack } from './database/sharedDatabase.ts';
import type { ShardInput } from './sharedRun.ts';
import { type OwnedOutcome, SuspectFailures } from './suspectFailures.ts';

/** Tasks of a shard: as many as a worker works on at once, within these bounds. */
const SHARD_TASKS = { least: 8, most: 256 };
/** How long a task waits for others of its shard. */
const LINGER_MS = 200;
/** Finished shards that are fetched at once. */
const FETCHED_AT_ONCE = 16;
/** Tasks that are handed out or wait for it, however many workers there are. */
const MOST_WAITING = 20_000;

interface Pending {
  readonly key: string;
  readonly input: ShardInput;
  readonly sinceMs: number;
}

interface ShardQueueOptions {
  readonly run: string;
  /** Its own id: nobody else removes shards. */
  readonly coordinator: string;
  /** Absent: as many as a worker works on at once. */
  readonly shardTasks?: number | undefined;
}

/**
 * The shards of a run, as the coordinator sees them: it cuts tasks into shards, and hands each finished shard's outcomes
 * to those who wait for them, in the order of its tasks. A shard is removed once it is handed over.
 */
export class ShardQueue {
  readonly #database: SharedDatabase;
  readonly #clock: Clock;
  readonly #options: ShardQueueOptions;
  readonly #pending = new Map<StageName, Pending[]>();
  readonly #waiting = new Map<string, PromiseWithResolvers<Outcome>>();
  /** Tasks that an earlier coordinator handed out, and outcomes of them that nobody has asked for yet. */
  readonly #adopted = new Set<string>();
  readonly #early = new Map<string, Outcome>();
  readonly #suspects = new SuspectFailures();
  /** Tasks that a worker works on at once, by worker. */
  #rooms: readonly number[] = [];
  #isClosed: { readonly reason: unknown } | undefined;

  constructor(database: SharedDatabase, clock: Clock, options: ShardQueueOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  /** Takes over the shards that an earlier coordinator left, except those of a stage that is another one by now. */
  async adopt(stages: readonly RunStage[]): Promise<void> {
    const sql = 'DELETE FROM shard WHERE run = $1 AND NOT (split_part(keys[1], $3, 1) = ANY ($2::text[]))';
    await this.#database.query(sql, [this.#options.run, stages.map(prefixOf), '/']);
    const left = 'SELECT keys FROM shard WHERE run = $1';
    const rows = await this.#database.query<{ keys: string[] }>(left, [this.#options.run]);
    for (const { keys } of rows) for (const key of keys) this.#adopted.add(key);
  }

  /** The stage as it is to the runner: workers work on its records. */
  sharded(stage: RunStage, prepare: () => Promise<void>): RunStage {
    const { opened } = stage;
    if (opened?.kind !== 'record') return stage;
    const queue = this;
    const sharded: typeof opened.stage = {
      ...opened.stage,
      get concurrency() {
        return queue.#window;
      },
      prepare,
      run: (record, context) => queue.#submit(stage, record, context),
    };
    return { ...stage, opened: { ...opened, stage: sharded } };
  }

  /** Notes how many tasks the workers work on at once. */
  set rooms(rooms: readonly number[]) {
    this.#rooms = rooms.filter((room) => room > 0);
  }

  /** Hands finished shards over and makes new ones, where there are shards that are done or whose workers were lost. */
  async look({ done, lost }: { readonly done: boolean; readonly lost: boolean }): Promise<void> {
    if (done) await this.#deliver("state = 'done'");
    if (lost) await this.#suspect();
    // No task is left that could tell whose fault the failures are.
    if (this.#suspects.size > 0 && this.#waiting.size === this.#suspects.size)
      this.#stand(this.#suspects.release());
    for (const [stage, pending] of this.#pending) await this.#cut(stage, pending);
  }

  /**
   * Begins nothing new. Once no worker works on a shard, what is finished is handed over, and what is not is refused.
   *
   * @returns false while workers are at it
   */
  async drain(reason: unknown): Promise<boolean> {
    await this.#deliver("state = 'done'");
    const sql = `SELECT EXISTS (SELECT FROM shard WHERE run = $1 AND state = 'taken') AS busy`;
    const [row] = await this.#database.query<{ busy: boolean }>(sql, [this.#options.run]);
    if (row!.busy) return false;
    await this.#deliver('true');
    this.close(reason);
    return true;
  }

  /** Refuses all that wait and all that come. */
  close(reason: unknown): void {
    this.#isClosed = { reason };
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    this.#pending.clear();
  }

  get #shardTasks(): number {
    const least = Math.min(...this.#rooms);
    return this.#options.shardTasks ?? Math.min(SHARD_TASKS.most, Math.max(SHARD_TASKS.least, least));
  }

  /** Tasks that wait for an outcome at most: what the workers work on, and as much again. */
  get #window(): number {
    const rooms = this.#rooms.reduce((sum, room) => sum + room, 0);
    return Math.min(MOST_WAITING, 2 * Math.max(SHARD_TASKS.most, this.#options.shardTasks ?? 0, rooms));
  }

  async #submit(stage: RunStage, record: Identified, context: StageContext): Promise<Outcome> {
    if (this.#isClosed) throw this.#isClosed.reason;
    const { attempt, rollout, wrongTry, signal } = context;
    const key = this.#freeKey([prefixOf(stage), record.id, rollout ?? 0, attempt ?? 0].join('/'));
    const early = this.#early.get(key);
    this.#early.delete(key);
    if (early) return early;
    const call = Promise.withResolvers<Outcome>();
    this.#waiting.set(key, call);
    if (!this.#adopted.delete(key)) {
      this.#wait(stage.stage, { key, input: { record, attempt, rollout, wrongTry } as ShardInput });
    }
    return unlessAborted(call.promise, signal);
  }

  #wait(stage: StageName, task: Omit<Pending, 'sinceMs'>): void {
    const pending = this.#pending.get(stage) ?? [];
    this.#pending.set(stage, pending);
    pending.push({ ...task, sinceMs: this.#clock.monotonicMs() });
  }

  /** Equal records of a stage have equal outcomes, but each is waited for. */
  #freeKey(key: string): string {
    return this.#waiting.has(key) ? this.#freeKey(`${key}+`) : key;
  }

  async #cut(stage: StageName, pending: Pending[]): Promise<void> {
    if (this.#rooms.length === 0) return;
    while (pending.length >= this.#shardTasks || this.#hasLingered(pending)) {
      const cut = pending.splice(0, this.#shardTasks);
      const [keys, inputs] = [cut.map(({ key }) => key), cut.map(({ input }) => input)];
      await this.#database.query(HAND_OUT, [this.#options.run, stage, keys, pack(inputs)]);
    }
  }

  #hasLingered([oldest]: readonly Pending[]): boolean {
    return oldest !== undefined && this.#clock.monotonicMs() - oldest.sinceMs >= LINGER_MS;
  }

  /** Hands the outcomes of shards over, and removes the shards. */
  async #deliver(condition: string): Promise<void> {
    const sql = `SELECT id::text, keys, stage, owner::text FROM shard WHERE run = $1 AND ${condition} ORDER BY shard.id LIMIT ${FETCHED_AT_ONCE}`;
    for (;;) {
      const shards = await this.#database.query<DoneRow>(sql, [this.#options.run]);
      for (const shard of shards) {
        const { id } = shard;
        await this.#handOverDone(shard);
        await this.#database.query(FETCHED, [id, this.#options.coordinator]);
      }
      if (shards.length < FETCHED_AT_ONCE) return;
    }
  }

  /** Hands over what there is of a shard, but failures that may be its worker's own: those wait, or their tasks do. */
  async #handOverDone({ id, keys, stage, owner }: DoneRow): Promise<void> {
    let inputs: ShardInput[] | undefined;
    for (const [nth, outcome] of await outcomesOf(this.#database, id)) {
      const key = keys[nth]!;
      const worker = owner ?? '';
      if (!this.#waiting.has(key)) {
        this.#handOver(key, outcome);
        continue;
      }
      if (this.#suspects.isSuspect({ worker, stage, outcome })) inputs ??= await inputsOf(this.#database, id);
      const input = inputs?.[nth] ?? { record: undefined };
      const { stand, again, leave } = this.#suspects.note({ worker, stage, key, input, outcome });
      this.#stand(stand);
      for (const one of again) this.#wait(one.stage, { key: one.key, input: one.input });
      if (leave.length > 0) await this.#database.query(LEAVE, [leave]);
    }
  }

  #stand(outcomes: readonly OwnedOutcome[]): void {
    for (const { key, outcome } of outcomes) this.#handOver(key, outcome);
  }

  /** Has the tasks of shards whose workers were lost too often tried alone; one that was tried so fails. */
  async #suspect(): Promise<void> {
    const sql = `SELECT id::text, keys, inputs, alone FROM shard WHERE run = $1 AND state = 'lost' ORDER BY shard.id`;
    for (const { id, keys, inputs, alone } of await this.#database.query<LostRow>(sql, [this.#options.run])) {
      if (alone) {
        this.#handOver(keys[0]!, { kind: 'fail', failure: workerLost() });
        await this.#database.query(SET_ASIDE, [id, this.#options.coordinator]);
        continue;
      }
      const isDone = await outcomesOf(this.#database, id);
      for (const [nth, outcome] of isDone) this.#handOver(keys[nth]!, outcome);
      const left = [...(unpack(inputs) as ShardInput[]).entries()].filter(([nth]) => !isDone.has(nth));
      const ownKeys = left.map(([nth]) => keys[nth]!);
      const packed = left.map(([, input]) => pack([input]));
      await this.#database.query(TRY_ALONE, [id, this.#options.coordinator, ownKeys, packed]);
    }
  }

  #handOver(key: string, outcome: Outcome): void {
    this.#waiting.get(key)?.resolve(outcome);
    if (this.#waiting.delete(key)) return;
    if (this.#adopted.delete(key)) this.#early.set(key, outcome);
  }
}

/** What the keys of a stage's tasks begin with: another one once what shapes it is another one. */
function prefixOf({ stage, configHash }: RunStage): string {
  return `${stage} ${configHash}`;
}
