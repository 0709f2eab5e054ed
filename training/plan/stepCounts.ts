import type { EpochWork, Trainer } from '../../contract/trainer.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';

/** What the number of steps depends on. */
export interface StepArithmetic extends EpochWork {
  readonly epochs: number;
  /** Ends the job early or late; null: the epochs do. */
  readonly maxSteps: number | null;
}

/** The steps that a trainer will take and log, by its own rule. */
export function stepCounts(
  { epochOf }: Pick<Trainer, 'epochOf'>,
  job: StepArithmetic,
): TrainingPlan['steps'] {
  const { steps, rowsLeftOut } = epochOf(job);
  const total = job.maxSteps ?? Math.ceil(job.epochs * steps);
  return { per_epoch: steps, total: steps === 0 ? 0 : total, rows_left_out: rowsLeftOut };
}
