import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../base/files/diskError.ts';
import type { JobControl, JobState } from '../contract/launcher.ts';
import type { JobRecord, RlFigures, TrainingCurve } from '../schemas/training/jobRecord.ts';
import { firstNanStep, TrainingLog } from './follow/trainingLog.ts';
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
  const loggedAtMs = (await ifThere(stat(join(folder, record.follow.metrics_file))))?.mtimeMs;
  const progress = trainingProgress({
    curve,
    totalSteps: record.plan.steps.total,
    fromStep: attempt.from_step,
    elapsedMs: loggedAtMs === undefined ? 0 : Math.max(0, loggedAtMs - Date.parse(attempt.started_at)),
  });
  return { state, curve, progress };
}

/** How far a training is. */
interface TrainingProgress {
  readonly step: number;
  readonly totalSteps: number;
  /** The loss of the newest step that logged one; null before the first, and where it is not a number. */
  readonly loss: number | null;
  readonly learningRate: number | null;
  /** Of the newest step of reinforcement learning. */
  readonly rl: RlFigures | null;
  /** Null before this attempt has logged a step. */
  readonly stepsPerMinute: number | null;
  readonly remainingMs: number | null;
  /** The first step whose loss is not a number. */
  readonly nanSince: number | null;
}

/** What progress is worked out from. */
interface ProgressFacts {
  readonly curve: TrainingCurve;
  readonly totalSteps: number;
  /** Where this attempt began. */
  readonly fromStep: number;
  /**
   * From this attempt's start to its newest log line, for trainers that don't log a time: waiting in a queue and
   * loading the model count, and weigh less with each step. Not above 0 while this attempt has logged nothing.
   */
  readonly elapsedMs: number;
}

/** How far a training is, at which rate, and how long it still takes at that rate. */
export function trainingProgress({
  curve,
  totalSteps,
  fromStep,
  elapsedMs,
}: ProgressFacts): TrainingProgress {
  const step = curve.latest_step;
  const newest = curve.steps.findLast((entry) => entry.step <= step);
  const done = step - fromStep;
  // Trainers log whole seconds: 0 of them tells nothing.
  const tookMs = curve.elapsed_ms || elapsedMs;
  // Before its first line the log is that of the attempt before.
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
