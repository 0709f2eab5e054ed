import { reduceEntries, type SeriesPoint } from '../../base/statistics/reduceSeries.ts';
import type { RlFigures, TrainingCurve, TrainingStep } from '../../schemas/training/jobRecord.ts';
import type { JobCurve } from '../api.ts';

/** Points of a line that are sent: more than a chart is wide in pixels. */
const MAX_POINTS = 1_000;

const rlNames = [
  'reward',
  'pass_rate',
  'entropy',
  'kl',
  'length',
  'calls',
  'failed',
  'unscored',
  'mixed_groups',
] as const satisfies readonly (keyof RlFigures)[];

/** What a job's trainer logged, as much of it as can be drawn: a line that has no value is left out. */
export function jobCurve(curve: TrainingCurve): JobCurve {
  const { steps, validation, latest_step, elapsed_ms, total_steps } = curve;
  const line = (figureOf: (step: TrainingStep) => number | null | undefined): readonly SeriesPoint[] =>
    steps.some((step) => typeof figureOf(step) === 'number')
      ? reduceEntries(steps, MAX_POINTS, (step) => [step.step, figureOf(step) ?? null])
      : [];
  const lines = {
    loss: line(({ loss }) => loss),
    validation_loss: reduceEntries(validation, MAX_POINTS, ({ step, loss }) => [step, loss]),
    ...Object.fromEntries(rlNames.map((name) => [name, line(({ rl }) => rl?.[name])])),
    learning_rate: line(({ learning_rate }) => learning_rate),
  };
  const known = Object.entries(lines).filter(([, points]) => points.length > 0);
  return {
    latest_step,
    elapsed_ms,
    total_steps,
    lost_steps: steps.filter(({ loss }) => loss === null).length,
    lines: Object.fromEntries(known),
  };
}
