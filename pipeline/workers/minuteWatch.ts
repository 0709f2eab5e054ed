import type { Clock } from '../../base/clock.ts';

const MINUTE_MS = 60_000;

/** How much a count grew. */
interface Growth {
  readonly last_minute: number;
  /** The most in any minute that was seen. */
  readonly most_in_minute: number;
}

/** Tells from counts that only grow how much they grew in a minute, as often as they are looked at. */
export class MinuteWatch {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { most: number; looks: { atMs: number; total: number }[] }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes what a count is by now. At the first look nothing has grown. */
  note(name: string, total: number): Growth {
    const nowMs = this.#clock.monotonicMs();
    const seen = this.#seen.get(name) ?? { most: 0, looks: [] };
    this.#seen.set(name, seen);
    seen.looks.push({ atMs: nowMs, total });
    while (nowMs - seen.looks[0]!.atMs > MINUTE_MS) seen.looks.shift();
    const grown = Math.max(0, Math.round(total - seen.looks[0]!.total));
    seen.most = Math.max(seen.most, grown);
    return { last_minute: grown, most_in_minute: seen.most };
  }
}
