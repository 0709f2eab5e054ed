import { systemClock } from '../../base/systemClock.ts';
import { lastAttempt } from '../../training/jobFolder.ts';
import { jobStatus } from '../../training/jobStatus.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import type { FoundJob } from './findJob.ts';

/** A job as `--json` shows it. */
export async function jobStatusJson({ folder, record, name }: FoundJob) {
  const { state, progress } = await jobStatus(
    folder,
    record,
    launcherTable[record.plan.launcher].open(systemClock),
  );
  return {
    job: name,
    folder,
    state: state.kind,
    step: progress.step,
    total_steps: progress.totalSteps,
    loss: progress.loss,
    learning_rate: progress.learningRate,
    steps_per_minute: progress.stepsPerMinute,
    remaining_ms: progress.remainingMs,
    nan_since_step: progress.nanSince,
    attempts: record.attempts,
    end: lastAttempt(record).end,
    unchecked: record.unchecked,
    versions: record.versions,
    data_sha256: record.plan.dataset.manifest_sha256,
  };
}
