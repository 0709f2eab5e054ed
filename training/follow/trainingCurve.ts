import type { TrainerLogEntry } from '../../contract/trainer.ts';
import type { TrainingCurve, TrainingStep } from '../../schemas/training/trainingCurve.ts';

/**
 * The course of a training from the entries of its logs, in the order in which they were written. A resumed job logs
 * the steps after its checkpoint again: they count as they were logged last. Validations at a step count likewise.
 */
export function trainingCurve(entries: readonly TrainerLogEntry[]): TrainingCurve {
  const steps = new Map<number, TrainingStep>();
  const validation = new Map<number, number>();
  let totalSteps: number | null = null;
  for (const { step, loss, learningRate, validationLoss, totalSteps: total } of entries) {
    totalSteps = total ?? totalSteps;
    if (loss !== undefined) steps.set(step, { step, loss, learning_rate: learningRate });
    if (validationLoss !== null) validation.set(step, validationLoss);
  }
  return {
    steps: [...steps.values()].sort((a, b) => a.step - b.step),
    validation: [...validation].map(([step, loss]) => ({ step, loss })).sort((a, b) => a.step - b.step),
    latest_step: entries.at(-1)?.step ?? 0,
    elapsed_ms: entries.at(-1)?.elapsedMs ?? null,
    total_steps: totalSteps,
  };
}

/** The first step whose loss is no number; undefined when all are. */
export function firstNanStep(curve: TrainingCurve): number | undefined {
  return curve.steps.find(({ loss }) => loss === null)?.step;
}
