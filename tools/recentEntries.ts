/** Size and age limits. */
export interface RecentLimits {
  readonly maxEntries: number;
  /** Maximum total size; a larger entry is not kept. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** Limits for pages and searches: three hours, like AFM's search server. */
const usualLimits: RecentLimits = { maxEntries: 10_000, maxBytes: 256 * 1024 ** 2, maxAgeMs: 3 * 3_600_000 };

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
  readonly since: number;
}

/** LRU cache in memory with a maximum age. */
export class RecentEntries<T> {
  readonly #limits: RecentLimits;
  readonly #now: () => number;
  /** Ordered by last use, least recent first. */
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  /** @param now - Milliseconds of a clock that never goes back */
  constructor(now: () => number, limits = usualLimits) {
    this.#limits = limits;
    this.#now = now;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry || this.#now() - entry.since >= this.#limits.maxAgeMs) return undefined;
    this.delete(key);
    this.#add(key, entry);
    return entry.value;
  }

  /** @param since - When the value was asked for, by the clock */
  put(key: string, value: T, bytes: number, since = this.#now()): void {
    this.delete(key);
    const { maxEntries, maxBytes } = this.#limits;
    if (bytes > maxBytes) return;
    this.#add(key, { value, bytes, since });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#bytes <= maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #add(key: string, entry: Entry<T>): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }
}
