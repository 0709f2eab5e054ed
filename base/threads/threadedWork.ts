import type { OpenWork, WorkOn } from './threadMessages.ts';
import { threadLimit } from './threadMessages.ts';
import {
  maxHereWeight,
  type PackedItem,
  type PooledWork,
  type QueuedItem,
  threadPool,
} from './threadPool.ts';

/** What is to be done with many items. */
export interface ThreadedWorkOptions<Settings, Item, Result> {
  /** Calls `serveWork` with {@link open}; see `moduleBeside`. */
  readonly module: URL;
  readonly open: OpenWork<Settings, Item, Result>;
  readonly settings: Settings;
  /** Roughly the bytes of an item, which bound what a message holds. */
  readonly weigh: (item: Item) => number;
  /** The item as it is sent to a thread; default: a copy. A view of bytes would be sent with all that it is a view of. */
  readonly pack?: (item: Item) => PackedItem<Item>;
}

/** The same function for many items, on all threads, of which this is one: it works on the first items, and with one thread on all. */
export class ThreadedWork<Settings, Item, Result> {
  readonly #options: ThreadedWorkOptions<Settings, Item, Result>;
  readonly #pooled: PooledWork;
  #here: Promise<WorkOn<Item, Result>> | undefined;
  /** In CPU time of this thread. */
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

  /** Lets go of the threads; items that are being worked on are rejected. */
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

/** CPU time of this thread: what waits for others is not counted. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
