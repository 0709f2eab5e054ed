import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../contract/ports.ts';

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
