import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from './isRunning.ts';

/** How long is waited, and for whom. */
export interface WaitOptions {
  /** Time between two looks; 20 ms by default. */
  readonly everyMs?: number;
  /** 120 s by default: what is waited for comes, on a loaded machine late. */
  readonly limitMs?: number;
  /** The process that brings it: once this has ended, nothing is waited for any more. */
  readonly child?: ChildProcess;
}

/**
 * Looks until there is something, and returns what was seen.
 *
 * @param what names it in the error
 * @param look gives something other than false, null and undefined once it is there
 * @throws `waited 120 s for WHAT` once the limit is over, and at once where `child` ended before
 */
export async function waitUntil<T>(
  what: string,
  look: () => T | Promise<T>,
  { everyMs = 20, limitMs = 120_000, child }: WaitOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    // Asked before the look: what a process does last is seen after its end.
    const [isLast, isOver] = [performance.now() >= endMs, child !== undefined && !isRunning(child)];
    const seen = await look();
    if (seen !== false && seen !== null && seen !== undefined)
      return seen as Exclude<T, false | null | undefined>;
    if (isOver) throw new Error(`the process ended before ${what}`);
    if (isLast) throw new Error(`waited ${limitMs / 1_000} s for ${what}`);
    await delay(everyMs);
  }
}
