import { availableParallelism } from 'node:os';

/** How this process uses worker threads; set once, by `--threads`. */
export const threadLimit = {
  /** How many work at most, the one that reads and writes among them; with 1 no other is started. */
  threads: availableParallelism(),
  /**
   * CPU time that each work gets here alone before it starts threads: one takes 0.2 s to start, and as much again until
   * its code is compiled as well as it is here.
   */
  hereFirstMs: 500,
};
