import { printable } from '../../base/printable.ts';
import { systemClock } from '../../base/systemClock.ts';
import { closeAttempt } from '../../training/closeAttempt.ts';
import { lastAttempt } from '../../training/jobFolder.ts';
import { jobStatus } from '../../training/jobStatus.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { findJob } from './findJob.ts';
import { jobEndLines } from './jobEndLines.ts';
import { jobProgressLine } from './jobProgressLine.ts';
import { jobStatusJson } from './jobStatusJson.ts';

/** Prints where a job is. One that ended while nobody followed it gets its end written down. */
export async function printJobStatus(name: string, json: boolean): Promise<void> {
  const found = await findJob(name);
  const control = launcherTable[found.record.plan.launcher].open(systemClock);
  let { record } = found;
  const status = await jobStatus(found.folder, record, control);
  if (status.state.kind === 'ended' && lastAttempt(record).end === null) {
    record = await closeAttempt(found.folder, control, systemClock);
  }
  if (json) {
    console.log(JSON.stringify(await jobStatusJson({ ...found, record })));
    return;
  }
  const { plan, versions, attempts } = record;
  const attempt = lastAttempt(record);
  const version = versions[trainerTable[plan.trainer].tested.package];
  const lines = [
    `${jobProgressLine(found.name, status)} · ${status.state.kind}`,
    `${plan.trainer}${version === undefined ? '' : ` ${version}`} through ${plan.launcher}, model ${plan.model}`,
    `attempt ${attempts.length}, started ${attempt.started_at}${attempt.from_step > 0 ? ` from the checkpoint of step ${attempt.from_step}` : ''}`,
    ...attempt.set_aside.map((move) => `put aside: ${move}`),
    ...(attempt.end ? jobEndLines(found.name, attempt.end) : []),
  ];
  // Words of schedulers and of the trainer's Python are among them.
  console.log(lines.map(printable).join('\n'));
}
