import type { z } from 'zod';
import { createBatches } from '../../base/batches.ts';
import type { Clock } from '../../base/clock.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { OutcomeLog, RecordInput, RecordInputs } from '../run/stageRunner.ts';
import { pack, type SharedDatabase, STATEMENT_EVERY_MS, unpack } from './database/sharedDatabase.ts';
import type { ShardInput } from './sharedRun.ts';

/** Batch size: outcomes per statement. */
const AT_ONCE = 64;
/** Polling interval for a shard; doubles while none is found. */
const IDLE_MS = { least: 50, most: 1_000 };

const CLAIM = 'SELECT id, fence, inputs, done FROM claim_shard($1, $2, $3)';
const PUT = 'SELECT put_outcomes($1, $2, $3, $4, $5)';

interface ClaimedRow {
  readonly id: string | null;
  readonly fence: number;
  readonly inputs: Buffer;
  readonly done: number[] | null;
}

interface Place {
  readonly shard: string;
  readonly fence: number;
  readonly nth: number;
  readonly attempt: number;
}

interface ClaimedOptions {
  readonly database: SharedDatabase;
  readonly worker: string;
  readonly stage: StageName;
  readonly clock: Clock;
  /** Aborted to stop claiming shards. */
  readonly drain: AbortSignal;
  /** Called with the error if outcomes cannot be delivered. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Shards that a worker claims, as inputs for the runner and as the log of their outcomes. The next shard is claimed
 * once all tasks of the previous one have begun. Work of an earlier owner of a shard is not repeated.
 */
export class ClaimedShards implements RecordInputs, OutcomeLog {
  /** More shards may arrive at any time. */
  readonly count = Number.POSITIVE_INFINITY;
  readonly #options: ClaimedOptions;
  readonly #places = new Map<number, Place>();
  /** Outcomes being sent, with their shards. */
  readonly #sending = new Map<Promise<void>, string>();
  readonly #put: (outcome: Place & { readonly body: Buffer }) => Promise<void>;
  #next = 0;
  #finished = 0;
  #lastFailure: string | undefined;

  constructor(options: ClaimedOptions) {
    this.#options = options;
    this.#put = createBatches((outcomes) => this.#putAll(outcomes), AT_ONCE, STATEMENT_EVERY_MS);
  }

  /** Most recent task failure. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  get finishedInputs(): number {
    return this.#finished;
  }

  /** Number of unfinished tasks. */
  get working(): number {
    return this.#places.size;
  }

  isFinished(): boolean {
    return false;
  }

  attemptsAt(index: number): number {
    return this.#places.get(index)?.attempt ?? 0;
  }

  async *read<T>(schema: z.ZodType<T>): AsyncGenerator<RecordInput<T>> {
    const { clock, drain } = this.#options;
    for (let idleMs = IDLE_MS.least; !drain.aborted; ) {
      const claimed = await this.#claim();
      if (claimed) {
        idleMs = IDLE_MS.least;
        yield* this.#inputsOf(claimed, schema);
      } else {
        await clock.sleep(idleMs * (0.5 + Math.random()), drain).catch(() => {});
        idleMs = Math.min(IDLE_MS.most, idleMs * 2);
      }
    }
  }

  record({ index, outcome }: CorpusOutcome<unknown>): void {
    const place = this.#places.get(index)!;
    this.#places.delete(index);
    this.#finished++;
    if (outcome.kind === 'fail') this.#lastFailure = outcome.failure.message;
    const sent = this.#put({ ...place, body: pack(outcome) }).catch(this.#options.onFault);
    this.#sending.set(sent, place.shard);
    void sent.finally(() => this.#sending.delete(sent));
  }

  /** Applies back pressure: resolves once the database has caught up. */
  async ready(): Promise<void> {
    if (this.#sending.size > 4 * AT_ONCE) await Promise.race(this.#sending.keys());
  }

  async flush(): Promise<void> {
    await Promise.all(this.#sending.keys());
  }

  async #claim(): Promise<ClaimedRow | undefined> {
    const { database, worker, stage } = this.#options;
    const known = new Set([...this.#places.values().map(({ shard }) => shard), ...this.#sending.values()]);
    const [row] = await database.query<ClaimedRow>(CLAIM, [worker, stage, [...known]]);
    return row?.id ? row : undefined;
  }

  *#inputsOf<T>({ id, fence, inputs, done }: ClaimedRow, schema: z.ZodType<T>): Generator<RecordInput<T>> {
    const isDone = new Set(done);
    for (const [nth, input] of (unpack(inputs) as ShardInput[]).entries()) {
      if (isDone.has(nth)) continue;
      const { record, attempt = 0, rollout, wrongTry } = input;
      const index = this.#next++;
      this.#places.set(index, { shard: id!, fence, nth, attempt });
      yield {
        index,
        record: schema.parse(record),
        ...(rollout !== undefined && { rollout }),
        ...(wrongTry && { wrongTry }),
      };
    }
  }

  async #putAll(outcomes: readonly (Place & { readonly body: Buffer })[]): Promise<undefined[]> {
    const { database, worker } = this.#options;
    for (const [shard, own] of Map.groupBy(outcomes, (outcome) => outcome.shard)) {
      const nths = own.map(({ nth }) => nth);
      await database.query(PUT, [worker, shard, own[0]!.fence, nths, own.map(({ body }) => body)]);
    }
    return outcomes.map(() => undefined);
  }
}
