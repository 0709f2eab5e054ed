import { systemClock } from '../../base/systemClock.ts';
import { followJob } from '../../training/followJob.ts';
import { lastAttempt } from '../../training/jobFolder.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { detachOnSignals } from './detachOnSignals.ts';
import type { FoundJob } from './findJob.ts';
import { FollowView } from './followView.ts';
import { jobEndLines } from './jobEndLines.ts';
import { jobStatusJson } from './jobStatusJson.ts';

/**
 * Follows a job on stderr until it ends, then prints how it ended. Ctrl-C and SIGTERM only end the following: the job
 * goes on, and is followed again with `train resume`.
 *
 * @returns the exit code: 0 when the job finished, 1 when it ended otherwise
 * @throws Interrupted for Ctrl-C and SIGTERM
 */
export async function followToEnd(
  job: FoundJob,
  { json = false }: { readonly json?: boolean },
): Promise<number> {
  const { folder, name } = job;
  const control = launcherTable[job.record.plan.launcher].open(systemClock);
  const view = new FollowView(name, systemClock);
  const detach = detachOnSignals(name, (line) => view.note(line));
  try {
    const record = await followJob(folder, job.record, {
      control,
      clock: systemClock,
      observer: view,
      signal: detach.signal,
    });
    view.close();
    const end = lastAttempt(record).end!;
    if (json) console.log(JSON.stringify(await jobStatusJson({ folder, record, name })));
    else console.log(jobEndLines(name, end).join('\n'));
    return end.outcome === 'finished' ? 0 : 1;
  } finally {
    view.close();
    detach.release();
  }
}
