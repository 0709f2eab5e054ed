/** A thread for schedules with real threads: it does what the settings of its work say. */
import { workerData } from 'node:worker_threads';
import { serveWork } from '../../../../base/threads/serveWork.ts';
import { happens, pause } from './delays.ts';
import type { ThreadFate } from './simulated.ts';

serveWork<ThreadFate, { readonly n: number; readonly fails: boolean }, number>(({ failsToOpen, ends }) => {
  if (happens(failsToOpen)) throw new Error('failed to open');
  return async ({ n, fails }) => {
    await pause();
    if (happens(ends / 4)) process.exit(3);
    if (fails) throw new Error('failed');
    return 10 * n;
  };
});
if (happens((workerData as ThreadFate).failsToOpen / 4)) process.exit(4);
