import { createBatches } from '../../../base/batches.ts';
import type { Clock } from '../../../base/clock.ts';
import { sha256Hex } from '../../../base/ids.ts';
import { LATE_MS, SPACED_MINUTE_MS } from '../../../calls/limits/rateBucket.ts';
import type { RateLimit } from '../../../contract/calls.ts';
import type { SharedDatabase } from './sharedDatabase.ts';

const AT_ONCE = 8;

/** Distributes evenly spaced turns at an address among the machines of a run, so that they keep its limits together. */
export class SharedTurns {
  readonly #database: SharedDatabase;
  readonly #run: string;
  readonly #clock: Clock;
  readonly #takers = new Map<string, (units: number) => Promise<number>>();

  constructor(database: SharedDatabase, run: string, clock: Clock) {
    this.#database = database;
    this.#run = run;
    this.#clock = clock;
  }

  /** Waits for a turn. Throws the signal's reason on abort. */
  async take(limit: RateLimit, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const dueMs = await this.#takerOf(limit)(limit.units);
      await this.#clock.sleep(Math.max(0, dueMs - this.#clock.monotonicMs()), signal);
      if (this.#clock.monotonicMs() - dueMs <= LATE_MS) return;
    }
  }

  #takerOf({ key, perMinute, provider, counts }: RateLimit): (units: number) => Promise<number> {
    const known = this.#takers.get(key);
    if (known) return known;
    // Salted, so that the name does not reveal the same endpoint and key across runs.
    const salted = sha256Hex(`${this.#run} ${key}`);
    const spacingMs = SPACED_MINUTE_MS / perMinute;
    const taker = createBatches(async (units: readonly number[]) => {
      const spans = units.map((count) => count * spacingMs);
      const wholeMs = spans.reduce((sum, span) => sum + span, 0);
      const sql = 'SELECT take_turn($1, $2, $3, $4, $5, $6, $7) AS wait_ms';
      const all = units.reduce((sum, count) => sum + count, 0);
      const values = [this.#run, salted, provider, counts, perMinute, all, wholeMs];
      const [row] = await this.#database.query<{ wait_ms: number }>(sql, values);
      let dueMs = this.#clock.monotonicMs() + (row!.wait_ms ?? 0);
      return spans.map((span) => {
        const ownMs = dueMs;
        dueMs += span;
        return ownMs;
      });
    }, AT_ONCE);
    this.#takers.set(key, taker);
    return taker;
  }
}
