import type { JobState } from '../contract/launcher.ts';
import type { FailureSigns } from '../contract/trainer.ts';
import type { AttemptEnd, JobAttempt } from '../schemas/training/jobRecord.ts';
import type { TrainingCurve } from '../schemas/training/trainingCurve.ts';
import { crashCause } from './causes/crashCause.ts';
import { lastWords } from './causes/lastWords.ts';
import { plainConsole } from './causes/plainConsole.ts';
import { firstNanStep } from './follow/trainingCurve.ts';

/** What is known of an attempt that has ended. */
export interface EndedAttempt {
  readonly attempt: Pick<JobAttempt, 'from_step' | 'stop_requested'>;
  readonly state: Extract<JobState, { kind: 'ended' }>;
  readonly curve: TrainingCurve;
  /** The end of what this attempt printed. */
  readonly console: string;
  /** Steps that the plan counts. */
  readonly plannedSteps: number;
  /** What this trainer prints when it fails. */
  readonly signs: FailureSigns;
}

/**
 * How an attempt ended. An exit code of 0 is not enough: verl ends well with an epoch missing. However it ended, weights
 * after a loss that is no number are of no use.
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
  if (nanStep !== undefined) return end(notWell, 'nan_loss', `the loss is no number from step ${nanStep} on`);
  const isComplete = curve.latest_step >= plannedSteps;
  if (exitCode === 0 && isComplete) return end('finished');
  if (attempt.stop_requested) return end('stopped');
  if (exitCode === 0) {
    return end('failed', 'steps_missing', `${curve.latest_step} of ${plannedSteps} steps were logged`);
  }
  const crash = crashCause({ ...state, console, fromStep: attempt.from_step, signs });
  return end(notWell, crash.cause, crash.lastWords);
}
