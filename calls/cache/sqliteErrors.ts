import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../base/userError.ts';

/** Result codes of SQLite (sqlite.org/rescode.html). */
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const SHORT_READ = 522;

/** Time that SQLite itself waits for another process, blocking this one. */
export const BLOCKING_WAIT_MS = 100;
/** Maximum time that another process may hold the file. Waiting for it blocks nothing else. */
const MAX_WAIT_MS = 30_000;
const RETRY_DELAY_MS = 20;

/**
 * True if SQLite found that the file is not an intact database of ours. `ERROR` counts, since our statements are
 * valid for an intact one.
 */
export function isDamage(error: unknown): boolean {
  return hasCode(error, [ERROR, CORRUPT, NOT_A_DATABASE]) || sqliteCode(error) === SHORT_READ;
}

/** True if SQLite considers the file or its folder read-only. */
export function isReadOnly(error: unknown): boolean {
  return hasCode(error, [READONLY]);
}

/** Error like SQLite's own for inconsistent pages. */
export function damage(message: string): Error {
  return Object.assign(new Error(message), { errcode: CORRUPT });
}

/**
 * Runs `work`, retrying while another process holds the file.
 * @throws UserError when it is held for longer than {@link MAX_WAIT_MS}
 */
export async function retryWhileBusy<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, [BUSY, LOCKED])) throw error;
      if (performance.now() > deadline) {
        const seconds = MAX_WAIT_MS / 1000;
        throw new UserError(`${path}: another process has held it for ${seconds} s; end that one`, {
          cause: error,
        });
      }
      await delay(RETRY_DELAY_MS);
    }
  }
}

/** Compares the primary code, the low byte of an extended one. */
function hasCode(error: unknown, codes: readonly number[]): boolean {
  const code = sqliteCode(error);
  return code !== undefined && codes.includes(code & 0xff);
}

function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error ? (error as Error & { errcode?: number }).errcode : undefined;
}
