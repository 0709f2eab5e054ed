import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** Maximum delay of a Node timer; longer ones fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(ms, signal) {
    try {
      for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
        await delay(Math.min(left, LONGEST_TIMER_MS), undefined, { signal });
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
