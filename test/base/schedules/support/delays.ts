/** Delays by a seed, for the modules of {@link delayedCopy}. Threads and processes take the seed of the file `seed`. */
import { readFileSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
import { mulberry32 } from '../../../support/mulberry32.ts';

let random = mulberry32(0);

export function reseed(seed: number): void {
  random = mulberry32(Math.imul(seed, 0x9e3779b1) + threadId);
}

/** The main thread of the test seeds itself. */
if (!isMainThread || process.send !== undefined)
  reseed(Number(readFileSync(new URL('seed', import.meta.url), 'utf8')) + process.ppid);

/** From 0 to below `count`. */
export function below(count: number): number {
  return Math.floor(random() * count);
}

/** True in so many of 100 cases. */
export function happens(percent: number): boolean {
  return random() * 100 < percent;
}

/** Nothing, a few turns of the promises or of the event loop, or a few milliseconds. */
export async function pause(): Promise<void> {
  const kind = below(100);
  if (kind < 50) return;
  if (kind < 70) for (let turns = 1 + below(5); turns > 0; turns -= 1) await undefined;
  else if (kind < 98) for (let turns = 1 + below(3); turns > 0; turns -= 1) await new Promise(setImmediate);
  else await new Promise((resolve) => setTimeout(resolve, below(3)));
}

/** In place of `await given`. */
export async function after<T>(given: T | PromiseLike<T>): Promise<T> {
  try {
    return await given;
  } finally {
    await pause();
  }
}

/** In place of what a `for await` or a `yield*` takes: items, the end and an error come late. */
export async function* each<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  try {
    for await (const item of items) {
      await pause();
      yield item;
    }
  } finally {
    await pause();
  }
}
