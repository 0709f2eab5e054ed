import type { OpenWork, WorkOn } from './threadMessages.ts';
import { threadLimit } from './threadMessages.ts';
import {
  maxHereWeight,
  type PackedItem,
  type PooledWork,
  type QueuedItem,
  threadPool,
} from './threadPool.ts';

/** Work to apply to many items. */
export interface ThreadedWorkOptions<Settings, Item, Result> {
  /** Module that calls `serveWork` with {@link open}; see `moduleBeside`. */
  readonly module: URL;
  readonly open: OpenWork<Settings, Item, Result>;
  readonly settings: Settings;
  /** Approximate bytes of an item, which limit a message. */
  readonly weigh: (item: Item) => number;
  /** Item as sent to a thread; default: a copy. A view of bytes would be sent with its whole buffer. */
  readonly pack?: (item: Item) => PackedItem<Item>;
}

/**
 * Applies one function to many items on all threads, including this one, which works on the first items and, with one
 * thread, on all.
 */
export class ThreadedWork<Settings, Item, Result> {
  readonly #options: ThreadedWorkOptions<Settings, Item, Result>;
  readonly #pooled: PooledWork;
  #here: Promise<WorkOn<Item, Result>> | undefined;
  /** CPU time of this thread. */
  #begunAt: number | undefined;
  #isPooled = false;
  #isClosed = false;

  constructor(options: ThreadedWorkOptions<Settings, Item, Result>) {
    this.#options = options;
    const workHere = async (item: unknown) => (await this.#openHere())(item as Item);
    const pack = (item: unknown) => options.pack?.(item as Item) ?? { item, transfer: [] };
    this.#pooled = { module: options.module, settings: options.settings, workHere, pack, queue: [] };
  }

  /**
   * Works on an item. Called for several items at once, these are spread over threads.
   *
   * @throws what the work throws: a `UserError` as one, other errors with their message, cause and stack, but of class
   *   `Error` where a thread threw them
   */
  async run(item: Item): Promise<Result> {
    if (this.#isClosed) throw new Error('the work is closed');
    const weight = this.#options.weigh(item);
    if (this.#isForHere(weight)) return (await this.#openHere())(item);
    const result = Promise.withResolvers<unknown>();
    this.#pooled.queue.push({ item, weight, ...result } satisfies QueuedItem);
    threadPool.hand();
    return (await result.promise) as Result;
  }

  /** Stops the threads; items in progress are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await threadPool.close(this.#pooled);
  }

  #isForHere(weight: number): boolean {
    if (threadLimit.threads === 1) return true;
    if (this.#isPooled) return false;
    this.#begunAt ??= threadCpuMs();
    if (weight <= maxHereWeight && threadCpuMs() - this.#begunAt < threadLimit.hereFirstMs) return true;
    threadPool.open(this.#pooled);
    this.#isPooled = true;
    return false;
  }

  async #openHere(): Promise<WorkOn<Item, Result>> {
    this.#here ??= Promise.resolve(this.#options.open(this.#options.settings));
    return this.#here;
  }
}

/** CPU time of this thread, waiting excluded. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
