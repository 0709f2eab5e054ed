import { availableParallelism } from 'node:os';

/** How this process uses worker threads; set once, by `--threads`. */
export const threadLimit = {
  /** How many it has at most; with 1 it starts none. */
  threads: availableParallelism(),
  /** Weight of the items of each work that are worked on here first: starting threads would take longer. */
  hereFirst: 4_000_000,
};
