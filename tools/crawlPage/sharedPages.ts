import type { Clock } from '../../base/clock.ts';
import { unlessAborted } from '../../contract/unlessAborted.ts';
import { RecentEntries, type RecentLimits } from '../recentEntries.ts';
import type { PageText } from './pageText.ts';

type ReadPageText = Extract<PageText, { ok: true }>;

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
  readonly #kept: RecentEntries<ReadPageText>;
  readonly #loading = new Map<string, Loading>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits?: RecentLimits) {
    this.#kept = new RecentEntries(clock.monotonicMs, limits);
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
    const kept = this.#kept.get(url);
    if (kept) return kept;
    const loading = this.#loading.get(url) ?? this.#load(url, load);
    loading.waiting += 1;
    try {
      return await unlessAborted(loading.page, signal);
    } finally {
      loading.waiting -= 1;
      if (loading.waiting === 0) this.#end(url, loading);
    }
  }

  #load(url: string, load: (signal: AbortSignal) => Promise<PageText>): Loading {
    const stop = new AbortController();
    const page = load(stop.signal).then((read) => {
      if (read.ok) this.#kept.put(url, read, 2 * (read.text.length + url.length + read.finalUrl.length));
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
}
