import { availableParallelism } from 'node:os';
import { UserError } from '../userError.ts';

/**
 * Called once in each thread, it makes the function that works on items.
 * Settings, items and results are copied between threads: plain values, typed arrays, maps.
 */
export type OpenWork<Settings, Item, Result> = (
  settings: Settings,
) => WorkOn<Item, Result> | Promise<WorkOn<Item, Result>>;

/** Works on one item; a later item may begin before an earlier one has ended. */
export type WorkOn<Item, Result> = (item: Item) => Result | Promise<Result>;

/** Items that a thread is asked to work on, by number. */
export type ThreadQuestion = ReadonlyMap<number, unknown>;

/** What a thread says: that it is ready, first and once; then for each question an answer to each of its items. */
export type ThreadSaid = 'ready' | ReadonlyMap<number, ThreadAnswer>;

/** What became of one item. */
export type ThreadAnswer = { readonly value: unknown } | ThrownInThread;

interface ThrownInThread {
  readonly thrown: unknown;
  /** The class of an error does not survive the copy. */
  readonly isUserError: boolean;
}

/** An error as it leaves a thread. */
export function thrownInThread(error: unknown): ThrownInThread {
  return { thrown: error, isUserError: error instanceof UserError };
}

/** The error that was thrown in a thread: message, cause and stack are its own, and a `UserError` is one again. */
export function errorOfThread({ thrown, isUserError }: ThrownInThread): unknown {
  if (!isUserError || !(thrown instanceof Error)) return thrown;
  const error = new UserError(thrown.message, { cause: thrown.cause });
  if (thrown.stack !== undefined) error.stack = thrown.stack;
  return error;
}

/** How this process uses worker threads. */
export const threadLimit = {
  /** How many work at most, the one that reads and writes among them; with 1 no other is started. */
  threads: availableParallelism(),
  /**
   * CPU time that each work gets here alone before it starts threads: one takes 0.2 s to start, and as much again until
   * its code is compiled as well as it is here.
   */
  hereFirstMs: 500,
};
