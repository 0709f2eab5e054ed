import { flushCompileCache } from 'node:module';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { type FileLimits, outOfTime } from './fileLimits.ts';

/** The answer to the question of the same id: a value, or why there is none. */
export type Answer = { readonly id: string } & ({ readonly value: unknown } | { readonly problem: string });

const LOOK_EVERY_MS = 10;

// The thread that `answerQuestions` starts of this module.
if (!isMainThread) watchLimits(workerData as WatchData);

interface WatchData {
  readonly limits: FileLimits;
  readonly parent: number;
}

/** Makes this process the one that an `IsolatedProcess` asks, within the limits it was started with. */
export function answerQuestions<Question>(answer: (question: Question) => unknown): void {
  // Ctrl-C reaches every process of the terminal; ours ends when the one that asks has ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const limits = JSON.parse(process.argv[2]!) as FileLimits;
  const watched: WatchData = { limits, parent: process.ppid };
  new Worker(new URL(import.meta.url), { workerData: watched }).unref();
  let isKept = false;
  const say = (answered: Answer) => {
    process.send!(answered);
    // At its end it would be too late: the process is killed then.
    if (!isKept) flushCompileCache();
    isKept = true;
  };
  process.on('message', async ({ id, question }: { readonly id: string; readonly question: Question }) => {
    try {
      say({ id, value: await answer(question) });
    } catch (error) {
      say({ id, problem: problemOf(error) });
    }
  });
}

/** The same for a file that is asked on and on: each answer is what comes next of it, undefined at its end. */
export function answerInBatches(batchesOf: (path: string) => AsyncGenerator<unknown>): void {
  let batches: AsyncGenerator<unknown> | undefined;
  answerQuestions(async (path: string) => {
    batches ??= batchesOf(path);
    return (await batches.next()).value;
  });
}

/** Ends its process when it takes too much, or when nobody waits for it: a busy decoder can't stop a thread. */
function watchLimits({ limits, parent }: WatchData): void {
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if ((user + system) / 1e6 > limits.cpuSeconds) process.kill(process.pid, outOfTime);
    if (process.memoryUsage.rss() > limits.memoryMb * 1e6 || process.ppid !== parent) {
      process.kill(process.pid, 'SIGKILL');
    }
  }, LOOK_EVERY_MS);
}

/** Decoders meet damage by their own missteps: these texts say nothing about the file. */
function problemOf(error: unknown): string {
  if (error instanceof TypeError || error instanceof RangeError) return 'it is damaged';
  if (error instanceof Error && error.name === 'RuntimeError')
    return 'it is damaged, or takes too much memory';
  return error instanceof Error ? error.message : String(error);
}
