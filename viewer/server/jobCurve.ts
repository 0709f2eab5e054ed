import { reduceSeries, type SeriesPoint } from '../../base/statistics/reduceSeries.ts';
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
export function jobCurve({ steps, validation, ...figures }: TrainingCurve): JobCurve {
  const line = (figureOf: (step: TrainingStep) => number | null | undefined): readonly SeriesPoint[] =>
    steps.some((step) => typeof figureOf(step) === 'number')
      ? steps.map((step) => [step.step, figureOf(step) ?? null])
      : [];
  const lines = {
    loss: line(({ loss }) => loss),
    validation_loss: validation.map(({ step, loss }): SeriesPoint => [step, loss]),
    ...Object.fromEntries(rlNames.map((name) => [name, line(({ rl }) => rl?.[name])])),
    learning_rate: line(({ learning_rate }) => learning_rate),
  };
  const known = Object.entries(lines).filter(([, points]) => points.length > 0);
  return {
    ...figures,
    lost_steps: steps.filter(({ loss }) => loss === null).length,
    lines: Object.fromEntries(known.map(([name, points]) => [name, reduceSeries(points, MAX_POINTS)])),
  };
}
