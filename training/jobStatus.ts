import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../base/files/diskError.ts';
import type { JobControl, JobState } from '../contract/launcher.ts';
import type { JobRecord, RlFigures, TrainingCurve } from '../schemas/training/jobRecord.ts';
import { firstNanStep, TrainingLog } from './follow/trainingLog.ts';
import { lastAttempt } from './jobFolder.ts';

/** State of a job from its launcher and its trainer's log. */
export interface JobStatus {
  readonly state: JobState;
  readonly curve: TrainingCurve;
  readonly progress: TrainingProgress;
}

/**
 * Reads the state of a job without writing.
 *
 * @param log the job's log, passed in by repeated callers
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
  // Read after the state, so that the log of an ended job is complete.
  const curve = await log.read();
  const loggedAtMs = (await ifThere(stat(join(folder, record.follow.metrics_file))))?.mtimeMs;
  const progress = trainingProgress({
    curve,
    totalSteps: record.plan.steps.total,
    fromStep: attempt.from_step,
    elapsedMs: loggedAtMs === undefined ? 0 : Math.max(0, loggedAtMs - Date.parse(attempt.started_at)),
  });
  return { state, curve, progress };
}

interface TrainingProgress {
  readonly step: number;
  readonly totalSteps: number;
  /** Loss of the newest step that logged one; null before the first, and for NaN. */
  readonly loss: number | null;
  readonly learningRate: number | null;
  /** Figures of the newest reinforcement learning step. */
  readonly rl: RlFigures | null;
  /** Null before this attempt has logged a step. */
  readonly stepsPerMinute: number | null;
  readonly remainingMs: number | null;
  readonly nanSince: number | null;
}

interface ProgressFacts {
  readonly curve: TrainingCurve;
  readonly totalSteps: number;
  /** Start step of this attempt. */
  readonly fromStep: number;
  /**
   * Time from this attempt's start to its newest log line, for trainers that log no time. Includes queueing and model
   * loading, whose weight decreases with each step. 0 or less until this attempt has logged.
   */
  readonly elapsedMs: number;
}

/** Computes the progress of a training, its rate, and the remaining time. */
export function trainingProgress({
  curve,
  totalSteps,
  fromStep,
  elapsedMs,
}: ProgressFacts): TrainingProgress {
  const step = curve.latest_step;
  const newest = curve.steps.findLast((entry) => entry.step <= step);
  const done = step - fromStep;
  // Trainers log whole seconds; 0 gives no rate.
  const tookMs = curve.elapsed_ms || elapsedMs;
  // Before the first line, the log is that of the attempt before.
  const hasLogged = elapsedMs > 0;
  const msPerStep = hasLogged && done > 0 && tookMs > 0 ? tookMs / done : null;
  return {
    step,
    totalSteps,
    loss: newest?.loss ?? null,
    learningRate: newest?.learning_rate ?? null,
    rl: newest?.rl ?? null,
    stepsPerMinute: msPerStep === null ? null : 60_000 / msPerStep,
    remainingMs: msPerStep === null ? null : Math.max(0, totalSteps - step) * msPerStep,
    nanSince: firstNanStep(curve) ?? null,
  };
}
