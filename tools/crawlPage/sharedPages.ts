import type { Clock } from '../../base/clock.ts';
import type { PageText } from './pageText.ts';

/** How long pages are kept and how many; AFM keeps 10,000 for three hours. */
export interface PageCacheLimits {
  readonly maxAgeMs: number;
  readonly maxPages: number;
  /** Size of all texts together. */
  readonly maxBytes: number;
}

type ReadPageText = Extract<PageText, { ok: true }>;

interface Kept {
  readonly page: ReadPageText;
  readonly until: number;
  readonly bytes: number;
}

interface Loading {
  readonly page: Promise<PageText>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Pages that several callers want: read once while they are being read, and kept in memory for a while. Only texts are
 * kept, since what failed may be there the next time. The pages that nobody asked for longest go first.
 */
export class SharedPages {
  readonly #limits: PageCacheLimits;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #loading = new Map<string, Loading>();
  #bytes = 0;

  constructor(limits: PageCacheLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * The kept page, the one that is being loaded, or a new one. Loading goes on until the last who waits for it gives up.
   *
   * @throws what `load` throws, or the signal's reason
   */
  async get(
    url: string,
    signal: AbortSignal,
    load: (signal: AbortSignal) => Promise<PageText>,
  ): Promise<PageText> {
    signal.throwIfAborted();
    const kept = this.#find(url);
    if (kept) return kept;
    const loading = this.#loading.get(url) ?? this.#load(url, load);
    loading.waiting += 1;
    try {
      return await untilAborted(loading.page, signal);
    } finally {
      loading.waiting -= 1;
      if (loading.waiting === 0) this.#end(url, loading);
    }
  }

  #load(url: string, load: (signal: AbortSignal) => Promise<PageText>): Loading {
    const stop = new AbortController();
    const page = load(stop.signal).then((read) => {
      if (read.ok) this.#keep(url, read);
      return read;
    });
    const loading = { page, stop, waiting: 0 };
    this.#loading.set(url, loading);
    return loading;
  }

  #end(url: string, loading: Loading): void {
    if (this.#loading.get(url) === loading) this.#loading.delete(url);
    loading.stop.abort(new Error('nobody waits for the page any more'));
    loading.page.catch(() => undefined);
  }

  #find(url: string): ReadPageText | undefined {
    const kept = this.#kept.get(url);
    if (!kept) return undefined;
    this.#drop(url, kept);
    if (kept.until <= this.#clock.monotonicMs()) return undefined;
    this.#kept.set(url, kept);
    this.#bytes += kept.bytes;
    return kept.page;
  }

  #keep(url: string, page: ReadPageText): void {
    const bytes = 2 * (page.text.length + url.length + page.finalUrl.length);
    const old = this.#kept.get(url);
    if (old) this.#drop(url, old);
    this.#kept.set(url, { page, bytes, until: this.#clock.monotonicMs() + this.#limits.maxAgeMs });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= this.#limits.maxPages && this.#bytes <= this.#limits.maxBytes) break;
      this.#drop(oldest, kept);
    }
  }

  #drop(url: string, { bytes }: Kept): void {
    this.#kept.delete(url);
    this.#bytes -= bytes;
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
