import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { ifThere } from '../base/files/diskError.ts';
import { UserError } from '../base/userError.ts';
import type { JobControl } from '../contract/launcher.ts';
import type { JobAttempt, JobHandle, JobRecord } from '../schemas/training/jobRecord.ts';
import { prepareResume } from './checkpoints.ts';
import { writeJob } from './jobFolder.ts';

/**
 * Starts another attempt of a job: prepares its folder to resume from the newest complete checkpoint, starts it, and
 * records its handle; stops it if recording fails. The caller must lock the folder.
 */
export async function startAttempt(
  folder: string,
  record: JobRecord,
  control: JobControl,
  clock: Clock,
): Promise<JobRecord> {
  const { fromStep, setAside } = await prepareResume(folder, record, brokenStep(record));
  const consoleFile = record.follow.console_file;
  const startedAt = new Date(clock.now()).toISOString();
  const consoleOffset = (await ifThere(stat(join(folder, consoleFile))))?.size ?? 0;
  const handle = await control.start({ folder, ...record.start, consoleFile });
  const attempt: JobAttempt = {
    handle,
    started_at: startedAt,
    from_step: fromStep,
    console_offset: consoleOffset,
    set_aside: [...setAside],
    stop_requested: false,
    end: null,
  };
  const started = { ...record, attempts: [...record.attempts, attempt] };
  try {
    await writeJob(folder, started);
  } catch (error) {
    await stopUnrecorded(folder, handle, control, error as Error);
    throw error;
  }
  return started;
}

/** Step of the checkpoint that the latest attempt could not read; null if it could. */
function brokenStep({ attempts }: JobRecord): number | null {
  const latest = attempts.at(-1);
  return latest?.end?.cause === 'broken_checkpoint' ? latest.from_step : null;
}

/** Stops a job whose handle could not be recorded, since it could not be found again. */
async function stopUnrecorded(
  folder: string,
  handle: JobHandle,
  control: JobControl,
  cause: Error,
): Promise<void> {
  try {
    await control.stop(handle, folder);
  } catch (error) {
    throw new UserError(
      `${folder}: the job runs, can't be written down (${cause.message}), and can't be stopped (${(error as Error).message}); end it by hand: ${JSON.stringify(handle)}`,
      { cause },
    );
  }
}
