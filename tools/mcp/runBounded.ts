import { createContext, Script } from 'node:vm';

/** What {@link runBounded} throws when the time is over. */
export class TookTooLong extends Error {}

const script = new Script('work()');

/**
 * Runs work that does not await, and breaks it off when it takes too long: no timer of this process can do that.
 *
 * @throws TookTooLong when it was broken off; whatever the work throws
 */
export function runBounded<T>(work: () => T, timeoutMs: number): T {
  try {
    return script.runInContext(createContext({ work }), { timeout: timeoutMs });
  } catch (error) {
    // Of the context's own kind of errors.
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TookTooLong(`took longer than ${timeoutMs / 1000} s`);
  }
}
