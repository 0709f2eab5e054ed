import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingJobCurve } from '../../viewer/server/viewedJob.ts';
import { curveOf } from '../training/support/curveOf.ts';

const figure = fc.option(fc.integer({ min: -5, max: 5 }));
const entries = fc.array(
  fc.record(
    {
      step: fc.nat(12),
      loss: figure,
      learningRate: figure,
      validationLoss: figure,
      totalSteps: figure,
      elapsedMs: figure,
    },
    { requiredKeys: ['step', 'learningRate', 'validationLoss', 'totalSteps', 'elapsedMs'] },
  ),
);

test('what is drawn is the course of the training, also where a resumed job logs steps again', () => {
  fc.assert(
    fc.property(entries, (logged) => {
      const growing = new GrowingJobCurve();
      for (const entry of logged) growing.add(entry);
      const { steps, validation, ...latest } = curveOf(logged);
      const line = (name: string, points: [number, number | null][]) =>
        points.some(([, value]) => value !== null) ? { [name]: points } : {};
      const { elapsed: _, ...drawn } = growing.drawn();
      expect(drawn).toEqual({
        ...latest,
        lost_steps: steps.filter(({ loss }) => loss === null).length,
        lines: {
          ...line(
            'loss',
            steps.map(({ step, loss }) => [step, loss]),
          ),
          ...line(
            'validation_loss',
            validation.map(({ step, loss }) => [step, loss]),
          ),
          ...line(
            'learning_rate',
            steps.map(({ step, learning_rate }) => [step, learning_rate]),
          ),
        },
      });
    }),
  );
});

test('time goes on over the attempts of a job', () => {
  const growing = new GrowingJobCurve();
  const figures = { loss: 1, learningRate: null, validationLoss: null, totalSteps: null };
  for (const [at, elapsedMs] of [1_000, 2_000, 1_500, 3_000].entries())
    growing.add({ ...figures, step: at + 1, elapsedMs });
  expect(growing.drawn().elapsed).toEqual([
    [1, 1_000],
    [2, 2_000],
    [3, 3_500],
    [4, 5_000],
  ]);
});
