import { systemClock } from '../../base/systemClock.ts';
import { lastAttempt } from '../../training/jobFolder.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { refuseChangedData, resumeJob } from '../../training/resumeJob.ts';
import { findJob } from './findJob.ts';
import { followToEnd } from './followToEnd.ts';
import { jobStatusJson } from './printJobStatus.ts';

/** Goes on with a job and follows it. Returns the exit code. */
export async function resumeFromCommandLine(
  name: string,
  { detach, json }: { readonly detach?: true; readonly json?: true },
): Promise<number> {
  const job = await findJob(name);
  const control = launcherTable[job.record.plan.launcher].open(systemClock);
  const { found, record } = await resumeJob(job.folder, {
    control,
    clock: systemClock,
    beforeStart: refuseChangedData,
  });
  const { from_step, set_aside } = lastAttempt(record);
  for (const move of found === 'resumed' ? set_aside : []) console.error(`put aside: ${move}`);
  console.error(`${job.name}: ${foundWords(found, from_step)}`);
  if (found !== 'finished' && !detach) return followToEnd({ ...job, record }, { json: json === true });
  if (json) console.log(JSON.stringify(await jobStatusJson({ ...job, record })));
  return 0;
}

function foundWords(found: 'running' | 'finished' | 'resumed', fromStep: number): string {
  if (found === 'finished') return 'finished before, nothing is left to do';
  if (found === 'running') return 'it runs, and is followed again';
  return fromStep === 0
    ? 'started again from the beginning'
    : `goes on from the checkpoint of step ${fromStep}`;
}
