import { availableParallelism } from 'node:os';
import { UserError } from '../userError.ts';

/**
 * Called once per thread; creates the function that processes items. Settings, items and results are copied between
 * threads: plain values, typed arrays, maps.
 */
export type OpenWork<Settings, Item, Result> = (
  settings: Settings,
) => WorkOn<Item, Result> | Promise<WorkOn<Item, Result>>;

/** Processes one item; a later item may start before an earlier one has ended. */
export type WorkOn<Item, Result> = (item: Item) => Result | Promise<Result>;

/** Items for a thread to process, by number. */
export type ThreadQuestion = ReadonlyMap<number, unknown>;

/** Message of a thread: once that it is ready, then for each question an answer to each item. */
export type ThreadSaid = 'ready' | ReadonlyMap<number, ThreadAnswer>;

/** Result of one item. */
export type ThreadAnswer = { readonly value: unknown } | ThrownInThread;

interface ThrownInThread {
  readonly thrown: unknown;
  /** An error's class does not survive the copy. */
  readonly isUserError: boolean;
}

/** Serialises an error in a thread. */
export function thrownInThread(error: unknown): ThrownInThread {
  return { thrown: error, isUserError: error instanceof UserError };
}

/** Restores an error from a thread with its message, cause and stack; a `UserError` keeps its class. */
export function errorOfThread({ thrown, isUserError }: ThrownInThread): unknown {
  if (!isUserError || !(thrown instanceof Error)) return thrown;
  const error = new UserError(thrown.message, { cause: thrown.cause });
  if (thrown.stack !== undefined) error.stack = thrown.stack;
  return error;
}

/** Worker thread settings of this process. */
export const threadLimit = {
  /** Maximum worker threads including the main one; with 1 no other is started. */
  threads: availableParallelism(),
  /**
   * CPU time spent in this thread before threads start: one takes 0.2 s to start, and as much again until its code is
   * optimised.
   */
  hereFirstMs: 500,
};
