import { readFile } from 'node:fs/promises';

/**
 * Time between two reads of `/proc/locks`. The kernel has every read wait until no processor is in the middle of a
 * change (5 to 40 ms), so it is read beside the event loop and for all programs at once: 20 looks a second at each
 * would leave no time to start programs.
 */
const READ_EVERY_MS = 100;

/** Process id -> its locks when the list was last read. */
let locks: ReadonlyMap<number, number> = new Map();
let readAtMs = Number.NEGATIVE_INFINITY;

/**
 * Locks (POSIX) of files that processes hold or wait for, as the last read of the list found them, which may be a tenth
 * of a second ago. Each takes 192 bytes of the kernel's, however many there are.
 */
export function locksOf(pids: readonly number[]): number {
  const nowMs = performance.now();
  if (nowMs - readAtMs >= READ_EVERY_MS) {
    readAtMs = nowMs;
    void readLocks();
  }
  return pids.reduce((sum, pid) => sum + (locks.get(pid) ?? 0), 0);
}

/** A list that can't be read, as in some containers, has no locks. */
async function readLocks(): Promise<void> {
  const list = await readFile('/proc/locks', 'latin1').catch(() => '');
  const counts = new Map<number, number>();
  for (const [, pid] of list.matchAll(/^\d+: (?:-> )?POSIX +\S+ +\S+ (\d+) /gm))
    counts.set(Number(pid), (counts.get(Number(pid)) ?? 0) + 1);
  locks = counts;
}
