import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../base/files/diskError.ts';
import type { JobControl, JobState } from '../contract/launcher.ts';
import type { JobRecord, TrainingCurve } from '../schemas/training/jobRecord.ts';
import { TrainingLog } from './follow/trainingLog.ts';
import { type TrainingProgress, trainingProgress } from './follow/trainingProgress.ts';
import { lastAttempt } from './jobFolder.ts';

/** Where a job is, by its launcher and its trainer's log. */
export interface JobStatus {
  readonly state: JobState;
  readonly curve: TrainingCurve;
  readonly progress: TrainingProgress;
}

/**
 * Looks at a job; nothing is written.
 *
 * @param log the job's log, handed in by who looks again and again
 */
export async function jobStatus(
  folder: string,
  record: JobRecord,
  control: JobControl,
  log = new TrainingLog(folder, record),
): Promise<JobStatus> {
  const attempt = lastAttempt(record);
  const state: JobState = attempt.end
    ? {
        kind: 'ended',
        exitCode: attempt.end.exit_code,
        outOfMemory: attempt.end.cause === 'host_out_of_memory',
      }
    : await control.state(attempt.handle, folder);
  // The log after the state: what an ended job wrote is then all there.
  const curve = await log.read();
  const loggedAtMs = await modifiedMs(join(folder, record.follow.metrics_file));
  const progress = trainingProgress({
    curve,
    totalSteps: record.plan.steps.total,
    fromStep: attempt.from_step,
    elapsedMs: loggedAtMs === undefined ? 0 : loggedAtMs - Date.parse(attempt.started_at),
  });
  return { state, curve, progress };
}

async function modifiedMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
