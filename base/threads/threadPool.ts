import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { compileCacheVariable } from '../moduleBeside.ts';
import {
  errorOfThread,
  type ThreadAnswer,
  type ThreadQuestion,
  type ThreadSaid,
  threadLimit,
} from './threadMessages.ts';

/** Batches per thread: the next one is waiting when a thread finishes the first. */
const batchesAtOnce = 2;
/** Maximum items and total weight per message: smaller messages cost more than the work, larger ones delay others. */
const maxBatchItems = 64;
const maxBatchWeight = 256 * 1024;
/**
 * Maximum weight of an item that this thread works on if others exist: a row of 130 MB would block signals for 17 s.
 */
export const maxHereWeight = 4_000_000;
/** Milliseconds of work in this thread before it returns to reading, writing and answering threads. */
const hereMs = 4;

/** An item waiting for a thread or for its answer. */
export interface QueuedItem {
  readonly item: unknown;
  readonly weight: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** An item as sent to a thread. */
export interface PackedItem<Item = unknown> {
  readonly item: Item;
  /** Buffers to transfer without a copy; they are unusable here afterwards. */
  readonly transfer: readonly ArrayBuffer[];
}

/** Work whose items the threads process. */
export interface PooledWork {
  /** Entry module of its threads; it calls `serveWork`. */
  readonly module: URL;
  readonly settings: unknown;
  /** Processes an item in this thread. */
  readonly workHere: (item: unknown) => Promise<unknown>;
  readonly pack: (item: unknown) => PackedItem;
  /** Items not yet assigned, in order. */
  readonly queue: QueuedItem[];
}

/** Items sent to a thread together, by number. */
type Batch = ReadonlyMap<number, QueuedItem>;

interface Thread {
  readonly work: PooledWork;
  readonly worker: Worker;
  /** In the order of their answers. */
  readonly batches: Batch[];
  /**
   * True once the thread has loaded its modules and opened the work; before that it gets no items, since the first
   * would wait for it.
   */
  isReady: boolean;
}

/**
 * Worker threads of this process: with this thread, at most one per core, however much work is open. Threads start
 * when items wait, and end with their work, or when they are idle and other work waits. This thread takes the surplus
 * and works while the others start.
 */
class ThreadPool {
  readonly #work = new Set<PooledWork>();
  readonly #threads = new Set<Thread>();
  #hasTurn = false;
  #lastNumber = 0;

  open(work: PooledWork): void {
    this.#work.add(work);
  }

  /** Stops the work's threads. Unanswered items are rejected. */
  async close(work: PooledWork): Promise<void> {
    this.#work.delete(work);
    const closed = new Error('the work was closed');
    rejectAll(work.queue.splice(0), closed);
    await Promise.all(this.#threadsOf(work).map((thread) => this.#end(thread, closed)));
    this.hand();
  }

  /** Assigns queued items once all that arrive together are queued, for instance those of one piece of a file. */
  hand(): void {
    if (this.#hasTurn) return;
    this.#hasTurn = true;
    setImmediate(() => void this.#takeTurn());
  }

  async #takeTurn(): Promise<void> {
    this.#giveAll();
    const end = performance.now() + hereMs;
    for (let work = this.#waiting(); work && performance.now() < end; work = this.#waiting()) {
      const { item, resolve, reject } = work.queue.shift()!;
      await work.workHere(item).then(resolve, reject);
    }
    this.#hasTurn = false;
    // Items queued during the turn were not assigned, and heavy ones are not for this thread.
    this.#giveAll();
    if (this.#waiting()) this.hand();
  }

  /** Work whose next item this thread may process. */
  #waiting(): PooledWork | undefined {
    return this.#work
      .values()
      .find(({ queue }) => queue[0] !== undefined && queue[0].weight <= maxHereWeight);
  }

  /** Assigns queued items to threads with capacity. */
  #giveAll(): void {
    for (const work of this.#work) {
      while (work.queue.length > 0) {
        const thread = this.#freeThread(work);
        if (thread === undefined) break;
        this.#give(thread);
      }
    }
  }

  #threadsOf(work: PooledWork): Thread[] {
    return [...this.#threads].filter((thread) => thread.work === work);
  }

  /** The least loaded ready thread with capacity; starts another thread unless it is idle. */
  #freeThread(work: PooledWork): Thread | undefined {
    const own = this.#threadsOf(work);
    const [least] = own.filter(({ isReady }) => isReady).sort((a, b) => a.batches.length - b.batches.length);
    if (least?.batches.length === 0) return least;
    if (this.#threads.size < threadLimit.threads - 1) this.#start(work);
    else if (own.length === 0) this.#takeOver(work);
    return least !== undefined && least.batches.length < batchesAtOnce ? least : undefined;
  }

  /** Replaces an idle thread by one for other work. */
  #takeOver(work: PooledWork): void {
    const idle = this.#threads
      .values()
      .find((thread) => thread.batches.length === 0 && thread.work.queue.length === 0);
    if (idle === undefined) return;
    void this.#end(idle, undefined);
    this.#start(work);
  }

  #start(work: PooledWork): void {
    const worker = new Worker(work.module, { workerData: work.settings, env: compileCacheVariable() });
    const thread: Thread = { work, worker, batches: [], isReady: false };
    this.#threads.add(thread);
    worker.on('message', (said: ThreadSaid) => this.#heard(thread, said));
    worker.on('messageerror', (error) => void this.#end(thread, error));
    worker.on('error', (error) => void this.#end(thread, error));
    const program = path.basename(work.module.pathname);
    worker.on(
      'exit',
      (code) => void this.#end(thread, new Error(`the worker thread of ${program} ended with code ${code}`)),
    );
  }

  #give(thread: Thread): void {
    const batch = new Map(takeBatch(thread.work.queue).map((item) => [++this.#lastNumber, item]));
    try {
      const packed = new Map(batch.entries().map(([number, { item }]) => [number, thread.work.pack(item)]));
      const transfer = [...packed.values()].flatMap((each) => each.transfer);
      const question: ThreadQuestion = new Map(packed.entries().map(([number, { item }]) => [number, item]));
      thread.worker.postMessage(question, transfer);
    } catch (error) {
      // A value in it cannot be copied.
      rejectAll(batch.values(), error);
      return;
    }
    thread.batches.push(batch);
    thread.worker.ref();
  }

  #heard(thread: Thread, said: ThreadSaid): void {
    // The message was sent before the thread was told to stop. Releasing it now could end this process while `close`
    // waits.
    if (!this.#threads.has(thread)) return;
    const isReady = said === 'ready' && !thread.isReady;
    const batch = isReady ? new Map<number, QueuedItem>() : thread.batches[0];
    const answers = said === 'ready' ? new Map<number, ThreadAnswer>() : said;
    if (!batch || answers.size !== batch.size || batch.keys().some((number) => !answers.has(number))) {
      const program = path.basename(thread.work.module.pathname);
      void this.#end(thread, new Error(`the worker thread of ${program} answered what it was not asked`));
      return;
    }
    if (isReady) thread.isReady = true;
    else thread.batches.shift();
    // Only a pending question keeps the process alive.
    if (thread.batches.length === 0) thread.worker.unref();
    this.#giveAll();
    for (const [number, answer] of answers) {
      const { resolve, reject } = batch.get(number)!;
      if ('value' in answer) resolve(answer.value);
      else reject(errorOfThread(answer));
    }
  }

  async #end(thread: Thread, error: unknown): Promise<void> {
    const { work, batches, isReady } = thread;
    // An error that keeps one thread from starting would stop the next one too.
    if (this.#threads.delete(thread) && !isReady && error !== undefined)
      rejectAll(work.queue.splice(0), error);
    for (const batch of batches.splice(0)) rejectAll(batch.values(), error);
    // Starts a replacement for waiting items.
    this.hand();
    await thread.worker.terminate();
  }
}

export const threadPool = new ThreadPool();

/** At most a thread's share of the queue, so that the other threads and this one get some. */
function takeBatch(queue: QueuedItem[]): QueuedItem[] {
  const most = Math.min(maxBatchItems, Math.ceil(queue.length / threadLimit.threads));
  let items = 0;
  let weight = 0;
  while (items < most && weight < maxBatchWeight) {
    weight += queue[items]!.weight;
    items += 1;
  }
  return queue.splice(0, items);
}

function rejectAll(items: Iterable<QueuedItem>, error: unknown): void {
  for (const { reject } of items) reject(error);
}
