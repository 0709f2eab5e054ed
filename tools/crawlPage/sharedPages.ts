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
 * Pages shared by callers: loaded once at a time, and cached in memory for a while. Only texts are cached, since
 * failures may be temporary. Evicts the least recently used.
 */
export class SharedPages {
  readonly #kept: RecentEntries<ReadPageText>;
  readonly #loading = new Map<string, Loading>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits?: RecentLimits) {
    this.#kept = new RecentEntries(clock.monotonicMs, limits);
  }

  /**
   * Cached, loading or new page. Loading continues until the last waiting caller is aborted.
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
