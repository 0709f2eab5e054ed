import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TrainerName } from '../../schemas/training/jobNames.ts';
import { parseLogLine, TrainingLog } from '../../training/follow/trainingLog.ts';
import { trainingProgress } from '../../training/jobStatus.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { curveOf } from './support/curveOf.ts';

const entry = (step: number, loss: number) => ({
  step,
  loss,
  learningRate: 1e-5,
  validationLoss: null,
  totalSteps: null,
  elapsedMs: null,
});

test('steps that a resumed job logs again count as they were logged last', () => {
  const attempts = fc.array(fc.record({ from: fc.nat(20), count: fc.nat(20), seed: fc.nat(1000) }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(attempts, (list) => {
      const entries = list.flatMap(({ from, count, seed }) =>
        Array.from({ length: count }, (_, n) => entry(from + n + 1, seed + n / 100)),
      );
      const curve = curveOf(entries);
      const steps = curve.steps.map(({ step }) => step);
      expect(steps).toEqual([...new Set(entries.map(({ step }) => step))].sort((a, b) => a - b));
      for (const { step, loss } of curve.steps) {
        expect(loss).toBe(entries.findLast((other) => other.step === step)!.loss);
      }
      expect(curve.latest_step).toBe(entries.at(-1)?.step ?? 0);
    }),
  );
});

/** What a trainer reads of a line where it says no more. */
const bare = { learningRate: null, validationLoss: null, totalSteps: null, elapsedMs: null };
const afterTwo = (rest: string) => `{"current_steps": 2, "total_steps": 8, ${rest}}`;

test.each<[TrainerName, string, object | undefined]>([
  [
    'llama-factory',
    afterTwo('"loss": 1.5, "lr": 1e-05, "epoch": 0.25, "elapsed_time": "0:01:07"'),
    { step: 2, loss: 1.5, learningRate: 1e-5, validationLoss: null, totalSteps: 8, elapsedMs: 67_000 },
  ],
  ...(
    [
      ['0:00:00', 0],
      ['1 day, 2:03:04', 93_784_000],
      ['3 days, 0:00:01', 259_201_000],
      ['soon', null],
    ] as const
  ).map(([time, elapsedMs]): [TrainerName, string, object] => [
    'llama-factory',
    afterTwo(`"elapsed_time": "${time}"`),
    { ...bare, step: 2, totalSteps: 8, elapsedMs },
  ]),
  // Python writes a loss that is not a number as a word.
  [
    'llama-factory',
    afterTwo('"loss": NaN, "lr": 1e-05, "elapsed_time": "NaN, 0:01"'),
    { ...bare, step: 2, loss: null, learningRate: 1e-5, totalSteps: 8 },
  ],
  ['llama-factory', afterTwo('"loss": -Infinity'), { ...bare, step: 2, loss: null, totalSteps: 8 }],
  // The end and a validation have no training loss.
  ['llama-factory', afterTwo('"epoch": 1.0'), { ...bare, step: 2, totalSteps: 8 }],
  ['llama-factory', afterTwo('"eval_loss": 2.5'), { ...bare, step: 2, validationLoss: 2.5, totalSteps: 8 }],
  [
    'verl',
    '{"step":3,"data":{"train/loss":0.5,"train/lr":0.001,"train/grad_norm":null}}',
    { ...bare, step: 3, loss: 0.5, learningRate: 0.001 },
  ],
  ['verl', '{"step":3,"data":{"val/loss":0.7}}', { ...bare, step: 3, validationLoss: 0.7 }],
  ['verl', '{"step":3,"data":{"train/loss":null}}', { ...bare, step: 3, loss: null }],
  [
    'trl-dpo',
    '{"step":3,"total_steps":9,"data":{"loss":0.5,"learning_rate":1e-6,"logps/chosen":-3}}',
    { ...bare, step: 3, loss: 0.5, learningRate: 1e-6, totalSteps: 9 },
  ],
  ['trl-dpo', '{"step":3,"data":{"loss":null}}', { ...bare, step: 3, loss: null }],
  ['trl-dpo', '{"step":3,"data":{"eval_loss":0.7}}', { ...bare, step: 3, validationLoss: 0.7 }],
  ['trl-dpo', '{"step":3,"data":{"train_runtime":3,"train_loss":0.6}}', undefined],
  ...['', '{', 'null', '[]', '{"current_steps":"2"}', 'Traceback'].flatMap((line) =>
    (['llama-factory', 'verl'] as const).map((name): [TrainerName, string, undefined] => [
      name,
      line,
      undefined,
    ]),
  ),
])('%s logs %s', (trainer, line, expected) => {
  expect(parseLogLine(trainerTable[trainer], line)).toEqual(expected);
});

const follow = {
  metrics_file: 'metrics.jsonl',
  earlier_metrics_file: 'metrics-earlier.jsonl',
} as const;
const verlLine = (step: number, loss: number) =>
  `${JSON.stringify({ step, data: { 'train/loss': loss } })}\n`;

test('a log that is cut anywhere while it grows is read to the same curve', async () => {
  const text = [1, 2, 3, 2, 3, 4].map((step, n) => verlLine(step, n)).join('');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 6 }), async (cuts) => {
      const folder = temporaryFolder();
      const path = join(folder, follow.metrics_file);
      const log = new TrainingLog(folder, { follow, plan: { trainer: 'verl' } });
      const places = [0, ...cuts.sort((a, b) => a - b), text.length];
      for (const [n, place] of places.slice(1).entries()) {
        appendFileSync(path, text.slice(places[n], place));
        await log.read();
      }
      const curve = await log.read();
      expect(curve.steps.map(({ step, loss }) => [step, loss])).toEqual([
        [1, 0],
        [2, 3],
        [3, 4],
        [4, 5],
      ]);
      expect(curve.latest_step).toBe(4);
    }),
    { numRuns: 30 },
  );
});

test('what earlier attempts of verl logged comes first, and a log that starts over is read from its beginning', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'metrics-earlier.jsonl'), verlLine(1, 9) + verlLine(2, 8));
  writeFileSync(join(folder, 'metrics.jsonl'), verlLine(2, 7) + verlLine(3, 6));
  const log = new TrainingLog(folder, { follow, plan: { trainer: 'verl' } });
  expect((await log.read()).steps.map(({ loss }) => loss)).toEqual([9, 7, 6]);
  writeFileSync(join(folder, 'metrics.jsonl'), verlLine(3, 5));
  expect((await log.read()).steps.map(({ loss }) => loss)).toEqual([9, 7, 5]);
});

test.each([
  [{}, { step: 6, loss: 1 / 6, stepsPerMinute: 2, remainingMs: 120_000, nanSince: null }],
  [{ logged: 20_000 }, { stepsPerMinute: 6, remainingMs: 40_000 }],
  [
    { logged: 20_000, elapsedMs: -5 },
    { stepsPerMinute: null, remainingMs: null },
  ],
  [{ fromStep: 6 }, { stepsPerMinute: null, remainingMs: null }],
])('the rate and the time left are those of this attempt: %j', (changed, expected) => {
  const { fromStep, elapsedMs, logged } = { fromStep: 4, elapsedMs: 60_000, logged: null, ...changed };
  const curve = { ...curveOf([1, 2, 3, 4, 5, 6].map((step) => entry(step, 1 / step))), elapsed_ms: logged };
  expect(trainingProgress({ curve, totalSteps: 10, fromStep, elapsedMs })).toMatchObject(expected);
});
