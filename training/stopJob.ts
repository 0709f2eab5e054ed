import type { Clock } from '../base/clock.ts';
import type { JobControl } from '../contract/launcher.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import { closeAttempt } from './closeAttempt.ts';
import { lastAttempt, readJob, withJob, withLastAttempt, writeJob } from './jobFolder.ts';

/** What a stop found. */
export interface StopResult {
  readonly record: JobRecord;
  /** False when the job had ended before. */
  readonly stopped: boolean;
}

/** Ends a job and all its processes, and writes down that it was stopped. */
export async function stopJob(folder: string, control: JobControl, clock: Clock): Promise<StopResult> {
  const found = await withJob(folder, clock, async () => {
    const record = (await readJob(folder))!;
    const attempt = lastAttempt(record);
    if (attempt.end) return undefined;
    const state = await control.state(attempt.handle, folder);
    if (state.kind !== 'ended') await writeJob(folder, withLastAttempt(record, { stop_requested: true }));
    return { attempt, wasRunning: state.kind !== 'ended' };
  });
  // Without the lock: it may take as long as the trainer needs, and status may be asked in the meantime.
  if (found) await control.stop(found.attempt.handle, folder);
  const record = await closeAttempt(folder, control, clock);
  return { record, stopped: found?.wasRunning ?? false };
}
