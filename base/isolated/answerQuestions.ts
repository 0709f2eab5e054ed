import { flushCompileCache } from 'node:module';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { type FileLimits, outOfTime } from './fileLimits.ts';

/** Answer to the question with the same id: a value, or the reason for none. */
export type Answer = { readonly id: string } & ({ readonly value: unknown } | { readonly problem: string });

const LOOK_EVERY_MS = 10;

// Worker entry point, started by `answerQuestions`.
if (!isMainThread) watchLimits(workerData as WatchData);

interface WatchData {
  readonly limits: FileLimits;
  readonly parent: number;
}

/** Turns this process into the one an `IsolatedProcess` asks, within its limits. */
export function answerQuestions<Question>(answer: (question: Question) => unknown): void {
  // Ctrl-C reaches every process of the terminal; this one ends after its parent.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const limits = JSON.parse(process.argv[2]!) as FileLimits;
  const watched: WatchData = { limits, parent: process.ppid };
  new Worker(new URL(import.meta.url), { workerData: watched }).unref();
  let isKept = false;
  const say = (answered: Answer) => {
    process.send!(answered);
    // Flushing at the end would be too late: the process is killed.
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

/** Variant for a file that is asked repeatedly: each answer is the next batch, undefined at the end. */
export function answerInBatches(batchesOf: (path: string) => AsyncGenerator<unknown>): void {
  let batches: AsyncGenerator<unknown> | undefined;
  answerQuestions(async (path: string) => {
    batches ??= batchesOf(path);
    return (await batches.next()).value;
  });
}

/** Ends its process at a limit or when the parent is gone: a busy decoder cannot block a thread. */
function watchLimits({ limits, parent }: WatchData): void {
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if ((user + system) / 1e6 > limits.cpuSeconds) process.kill(process.pid, outOfTime);
    if (process.memoryUsage.rss() > limits.memoryMb * 1e6 || process.ppid !== parent) {
      process.kill(process.pid, 'SIGKILL');
    }
  }, LOOK_EVERY_MS);
}

/** Decoders report damage as their own internal errors, whose texts say nothing about the file. */
function problemOf(error: unknown): string {
  if (error instanceof TypeError || error instanceof RangeError) return 'it is damaged';
  if (error instanceof Error && error.name === 'RuntimeError')
    return 'it is damaged, or takes too much memory';
  return error instanceof Error ? error.message : String(error);
}
