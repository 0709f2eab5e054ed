import type { Clock } from '../base/clock.ts';
import type { JobControl } from '../contract/launcher.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import { closeAttempt } from './closeAttempt.ts';
import { TrainingLog } from './follow/trainingLog.ts';
import { lastAttempt } from './jobFolder.ts';
import { type JobStatus, jobStatus } from './jobStatus.ts';

const POLL_MS = 500;

export interface JobObserver {
  status?(status: JobStatus): void;
}

interface FollowOptions {
  readonly control: JobControl;
  readonly clock: Clock;
  readonly observer: JobObserver;
  /** Stops following with the signal's reason; the job continues. */
  readonly signal?: AbortSignal;
}

/**
 * Follows a job until it ends, and records the end. Several processes may follow one job.
 *
 * @returns the job's record including the end
 */
export async function followJob(
  folder: string,
  found: JobRecord,
  { control, clock, observer, signal }: FollowOptions,
): Promise<JobRecord> {
  let record = found;
  const log = new TrainingLog(folder, record);
  for (;;) {
    signal?.throwIfAborted();
    const status = await jobStatus(folder, record, control, log);
    observer.status?.(status);
    if (status.state.kind === 'ended') {
      record = await closeAttempt(folder, control, clock);
      // A record without an end was resumed by another process, so following continues.
      if (lastAttempt(record).end !== null) return record;
    }
    await clock.sleep(POLL_MS, signal);
  }
}
