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

/** Bounds of the shard size; default: the concurrency of a worker. */
const SHARD_TASKS = { least: 8, most: 256 };
/** Time a task waits for others of its shard. */
const LINGER_MS = 200;
/** Finished shards fetched at once. */
const FETCHED_AT_ONCE = 16;
/** Maximum tasks handed out or waiting for it. */
const MOST_WAITING = 20_000;

interface Pending {
  readonly key: string;
  readonly input: ShardInput;
  readonly sinceMs: number;
}

interface ShardQueueOptions {
  readonly run: string;
  /** Its own id, so that no other coordinator removes its shards. */
  readonly coordinator: string;
  /** Default: the concurrency of a worker. */
  readonly shardTasks?: number | undefined;
}

/**
 * Shards of a run from the coordinator's side: cuts tasks into shards, and returns each finished shard's outcomes in
 * task order. A shard is removed afterwards.
 */
export class ShardQueue {
  readonly #database: SharedDatabase;
  readonly #clock: Clock;
  readonly #options: ShardQueueOptions;
  readonly #pending = new Map<StageName, Pending[]>();
  readonly #waiting = new Map<string, PromiseWithResolvers<Outcome>>();
  /** Tasks handed out by an earlier coordinator, and their outcomes not requested yet. */
  readonly #adopted = new Set<string>();
  readonly #early = new Map<string, Outcome>();
  readonly #suspects = new SuspectFailures();
  /** Concurrent tasks of each worker. */
  #rooms: readonly number[] = [];
  #isClosed: { readonly reason: unknown } | undefined;

  constructor(database: SharedDatabase, clock: Clock, options: ShardQueueOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  /** Takes over the shards of an earlier coordinator, except those of a changed stage. */
  async adopt(stages: readonly RunStage[]): Promise<void> {
    const sql = 'DELETE FROM shard WHERE run = $1 AND NOT (split_part(keys[1], $3, 1) = ANY ($2::text[]))';
    await this.#database.query(sql, [this.#options.run, stages.map(prefixOf), '/']);
    const left = 'SELECT keys FROM shard WHERE run = $1';
    const rows = await this.#database.query<{ keys: string[] }>(left, [this.#options.run]);
    for (const { keys } of rows) for (const key of keys) this.#adopted.add(key);
  }

  /** Wraps a stage so that workers process its records. */
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

  /** Sets the concurrency of each worker. */
  set rooms(rooms: readonly number[]) {
    this.#rooms = rooms.filter((room) => room > 0);
  }

  async look({ done, lost }: { readonly done: boolean; readonly lost: boolean }): Promise<void> {
    if (done) await this.#deliver("state = 'done'");
    if (lost) await this.#suspect();
    // The failures cannot be attributed without other tasks.
    if (this.#suspects.size > 0 && this.#waiting.size === this.#suspects.size)
      this.#stand(this.#suspects.release());
    for (const [stage, pending] of this.#pending) await this.#cut(stage, pending);
  }

  /**
   * Starts nothing new. Once no worker holds a shard, finished shards are delivered and the rest is rejected.
   *
   * @returns false while workers are active
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

  /** Rejects all waiting and future tasks. */
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

  /** Maximum waiting tasks: twice the concurrency of all workers. */
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

  /** Unique key for equal records of a stage: their outcomes are equal, but each is awaited. */
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

  /**
   * Delivers the outcomes of a shard, except failures that may be the worker's fault: these wait, or their tasks are
   * tried again.
   */
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

  /** Retries tasks of shards that lost too many workers alone; a task that was already tried alone fails. */
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

/** Prefix of task keys; changes with the settings that shape the stage. */
function prefixOf({ stage, configHash }: RunStage): string {
  return `${stage} ${configHash}`;
}
