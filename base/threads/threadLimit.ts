import { availableParallelism } from 'node:os';

/** How this process uses worker threads; set once, by `--threads`. */
export const threadLimit = {
  /** How many it has at most; with 1 it starts none. */
  threads: availableParallelism(),
  /** How long each work goes on here before it asks for threads: what takes no longer would wait for their start. */
  hereFirstMs: 1_000,
};
