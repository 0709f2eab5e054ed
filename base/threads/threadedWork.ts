import { threadLimit } from './threadLimit.ts';
import type { OpenWork, WorkOn } from './threadMessages.ts';
import { type PooledWork, type QueuedItem, threadPool } from './threadPool.ts';

/** What is to be done with many items. */
export interface ThreadedWorkOptions<Settings, Item, Result> {
  /** Calls `serveWork` with {@link open}; see `moduleBeside`. */
  readonly module: URL;
  readonly open: OpenWork<Settings, Item, Result>;
  readonly settings: Settings;
  /** Roughly the bytes of an item, which bound what a message holds. */
  readonly weigh: (item: Item) => number;
}

/** The same function for many items, on up to `--threads` threads. The first items, and with one thread all, are worked on here. */
export class ThreadedWork<Settings, Item, Result> {
  readonly #options: ThreadedWorkOptions<Settings, Item, Result>;
  readonly #pooled: PooledWork;
  #here: Promise<WorkOn<Item, Result>> | undefined;
  #begunAt: number | undefined;
  #isPooled = false;
  #isClosed = false;

  constructor(options: ThreadedWorkOptions<Settings, Item, Result>) {
    this.#options = options;
    this.#pooled = { module: options.module, settings: options.settings, queue: [] };
  }

  /**
   * Works on an item. Called for several items at once, these are spread over threads.
   *
   * @throws what the work throws: a `UserError` as one, other errors with their message, cause and stack, but of class
   *   `Error` where a thread threw them
   */
  async run(item: Item): Promise<Result> {
    if (this.#isClosed) throw new Error('the work is closed');
    if (this.#isForHere()) return (await this.#openHere())(item);
    const result = Promise.withResolvers<unknown>();
    const weight = this.#options.weigh(item);
    this.#pooled.queue.push({ item, weight, ...result } satisfies QueuedItem);
    threadPool.hand();
    return (await result.promise) as Result;
  }

  /** Lets go of the threads; items that are being worked on are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await threadPool.close(this.#pooled);
  }

  #isForHere(): boolean {
    if (threadLimit.threads === 1) return true;
    this.#begunAt ??= performance.now();
    if (performance.now() - this.#begunAt < threadLimit.hereFirstMs) return true;
    if (!this.#isPooled) threadPool.open(this.#pooled);
    this.#isPooled = true;
    return false;
  }

  async #openHere(): Promise<WorkOn<Item, Result>> {
    this.#here ??= Promise.resolve(this.#options.open(this.#options.settings));
    return this.#here;
  }
}
