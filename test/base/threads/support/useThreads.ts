import { afterEach } from 'vitest';
import { threadLimit } from '../../../../base/threads/threadMessages.ts';

const before = { ...threadLimit };
afterEach(() => {
  Object.assign(threadLimit, before);
});

/** Numbers of threads that must give the same. */
export const threadCounts = [1, 2, 3, 8];

/** Has the test use so many threads, from the first item on. */
export function useThreads(threads: number): void {
  Object.assign(threadLimit, { threads, hereFirstMs: 0 });
}
