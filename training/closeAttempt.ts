import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { readFileFrom } from '../base/files/readFileFrom.ts';
import type { JobControl, JobState } from '../contract/launcher.ts';
import type { FailureSigns } from '../contract/trainer.ts';
import type { AttemptEnd, JobAttempt, JobRecord, TrainingCurve } from '../schemas/training/jobRecord.ts';
import { crashCause, lastWords, plainConsole } from './causes/crashCause.ts';
import { firstNanStep, TrainingLog } from './follow/trainingLog.ts';
import { lastAttempt, readJob, withJob, withLastAttempt, writeJob } from './jobFolder.ts';
import { trainerTable } from './trainers/trainerTable.ts';

/** Part of the console that is searched for the cause of a crash. */
const CONSOLE_TAIL_BYTES = 256 * 1024;

/**
 * Records the end of a job's latest attempt, unless already recorded, and ends workers left behind by a killed trainer.
 *
 * @returns the updated record
 */
export function closeAttempt(folder: string, control: JobControl, clock: Clock): Promise<JobRecord> {
  return withJob(folder, clock, async () => {
    const record = (await readJob(folder))!;
    const attempt = lastAttempt(record);
    if (attempt.end) return record;
    const state = await control.state(attempt.handle, folder);
    if (state.kind !== 'ended') return record;
    await control.stop(attempt.handle, folder);
    const consoleFile = join(folder, record.follow.console_file);
    const { bytes } = await readFileFrom(consoleFile, attempt.console_offset, CONSOLE_TAIL_BYTES);
    const end = attemptEnd({
      attempt,
      state,
      curve: await new TrainingLog(folder, record).read(),
      console: [bytes.toString('utf8'), ...(state.message ? [state.message] : [])].join('\n'),
      plannedSteps: record.plan.steps.total,
      signs: trainerTable[record.plan.trainer].failures,
    });
    const closed = withLastAttempt(record, { end });
    await writeJob(folder, closed);
    return closed;
  });
}

/** Facts about an attempt that has ended. */
interface EndedAttempt {
  readonly attempt: Pick<JobAttempt, 'from_step' | 'stop_requested'>;
  readonly state: Extract<JobState, { kind: 'ended' }>;
  readonly curve: TrainingCurve;
  readonly console: string;
  /** Steps according to the plan. */
  readonly plannedSteps: number;
  readonly signs: FailureSigns;
}

/**
 * Determines the outcome of an attempt. Exit code 0 is not enough: verl exits with 0 even if an epoch is missing.
 * Weights after a NaN loss are always useless.
 */
export function attemptEnd({
  attempt,
  state,
  curve,
  console,
  plannedSteps,
  signs,
}: EndedAttempt): AttemptEnd {
  const { exitCode } = state;
  const end = (
    outcome: AttemptEnd['outcome'],
    cause: AttemptEnd['cause'] = null,
    words = lastWords(plainConsole(console)),
  ): AttemptEnd => ({ outcome, exit_code: exitCode, cause, last_words: words });
  const notWell = attempt.stop_requested ? 'stopped' : exitCode === null ? 'lost' : 'failed';
  const nanStep = firstNanStep(curve);
  if (nanStep !== undefined)
    return end(notWell, 'nan_loss', `the loss is not a number from step ${nanStep} on`);
  const isComplete = curve.latest_step >= plannedSteps;
  if (exitCode === 0 && isComplete) return end('finished');
  if (attempt.stop_requested) return end('stopped');
  if (exitCode === 0) {
    return end('failed', 'steps_missing', `${curve.latest_step} of ${plannedSteps} steps were logged`);
  }
  const crash = crashCause({ ...state, console, fromStep: attempt.from_step, signs });
  return end(notWell, crash.cause, crash.lastWords);
}

interface StopResult {
  readonly record: JobRecord;
  /** False if the job had ended before. */
  readonly stopped: boolean;
}

/** Ends a job with all its processes and records the stop. */
export async function stopJob(folder: string, control: JobControl, clock: Clock): Promise<StopResult> {
  const found = await withJob(folder, clock, async () => {
    const record = (await readJob(folder))!;
    const attempt = lastAttempt(record);
    if (attempt.end) return undefined;
    const state = await control.state(attempt.handle, folder);
    if (state.kind !== 'ended') await writeJob(folder, withLastAttempt(record, { stop_requested: true }));
    return { attempt, wasRunning: state.kind !== 'ended' };
  });
  // Outside of the lock, since the trainer may take long to stop and status queries must not wait.
  if (found) await control.stop(found.attempt.handle, folder);
  const record = await closeAttempt(folder, control, clock);
  return { record, stopped: found?.wasRunning ?? false };
}
