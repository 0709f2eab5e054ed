import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { threadLimit } from './threadLimit.ts';
import { errorOfThread, type ThreadAnswer, type ThreadData } from './threadMessages.ts';

/** Batches that a thread has at once: it finds the next one waiting when it ends the first. */
const batchesAtOnce = 2;
/** Most items, and how much of them by weight, in one message: fewer cost more than the work on them, more wait long. */
const maxBatchItems = 64;
const maxBatchWeight = 256 * 1024;

/** One item that waits for a thread, or for its answer. */
export interface QueuedItem {
  readonly item: unknown;
  readonly weight: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Work whose items the threads take. */
export interface PooledWork {
  /** What its threads run: it calls `serveWork`. */
  readonly module: URL;
  readonly settings: unknown;
  /** Items that no thread has yet, in order. */
  readonly queue: QueuedItem[];
}

/** A thread, and what it was given. */
interface Thread {
  readonly work: PooledWork;
  readonly worker: Worker;
  readonly batches: QueuedItem[][];
}

/**
 * The worker threads of this process: never more than `--threads`, whatever work is open. They start when items wait
 * for them, and end with their work, or when they are idle and other work waits.
 */
class ThreadPool {
  readonly #work = new Set<PooledWork>();
  readonly #threads = new Set<Thread>();

  open(work: PooledWork): void {
    this.#work.add(work);
  }

  /** Ends the work's threads. Items that were not answered are rejected. */
  async close(work: PooledWork): Promise<void> {
    this.#work.delete(work);
    const closed = new Error('the work was closed');
    rejectAll(work.queue.splice(0), closed);
    await Promise.all(this.#threadsOf(work).map((thread) => this.#end(thread, closed)));
    this.hand();
  }

  /** Hands queued items to threads that have room for them. */
  hand(): void {
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

  /** A thread with nothing to do, else a new one, else the one with the least to do, if that is little. */
  #freeThread(work: PooledWork): Thread | undefined {
    const [least] = this.#threadsOf(work).sort((a, b) => a.batches.length - b.batches.length);
    if (least?.batches.length === 0) return least;
    if (this.#threads.size < threadLimit.threads) return this.#start(work);
    const idle = [...this.#threads].find(({ batches }) => batches.length === 0);
    if (idle !== undefined) {
      void this.#end(idle, undefined);
      return this.#start(work);
    }
    return least !== undefined && least.batches.length < batchesAtOnce ? least : undefined;
  }

  #start(work: PooledWork): Thread {
    const workerData: ThreadData = { settings: work.settings };
    const worker = new Worker(work.module, { workerData, env: environment() });
    const thread: Thread = { work, worker, batches: [] };
    this.#threads.add(thread);
    worker.on('message', (answers: ThreadAnswer[]) => this.#answered(thread, answers));
    worker.on('messageerror', (error) => void this.#end(thread, error));
    worker.on('error', (error) => void this.#end(thread, error));
    worker.on('exit', (code) => void this.#end(thread, new Error(`a worker thread ended with code ${code}`)));
    return thread;
  }

  #give(thread: Thread): void {
    const batch = takeBatch(thread.work.queue);
    try {
      thread.worker.postMessage(batch.map(({ item }) => item));
    } catch (error) {
      // Something in it can't be copied.
      rejectAll(batch, error);
      return;
    }
    thread.batches.push(batch);
    thread.worker.ref();
  }

  #answered(thread: Thread, answers: readonly ThreadAnswer[]): void {
    const batch = thread.batches.shift()!;
    // Only an open question keeps the process from ending.
    if (thread.batches.length === 0) thread.worker.unref();
    this.hand();
    for (const [at, answer] of answers.entries()) {
      if ('value' in answer) batch[at]!.resolve(answer.value);
      else batch[at]!.reject(errorOfThread(answer));
    }
  }

  async #end(thread: Thread, error: unknown): Promise<void> {
    this.#threads.delete(thread);
    for (const batch of thread.batches.splice(0)) rejectAll(batch, error);
    await thread.worker.terminate();
  }
}

/** The threads of this process. */
export const threadPool = new ThreadPool();

/** Nothing of ours but where compiled code is kept, which spares a thread a third of its start. */
function environment(): Record<string, string> {
  const kept = getCompileCacheDir();
  // The folder in the folder that was asked for is this version's.
  return kept === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(kept) };
}

function takeBatch(queue: QueuedItem[]): QueuedItem[] {
  let items = 0;
  let weight = 0;
  while (items < queue.length && items < maxBatchItems && weight < maxBatchWeight) {
    weight += queue[items]!.weight;
    items += 1;
  }
  return queue.splice(0, items);
}

function rejectAll(items: readonly QueuedItem[], error: unknown): void {
  for (const { reject } of items) reject(error);
}
