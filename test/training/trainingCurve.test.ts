import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLogLine, TrainingLog, trainingCurve } from '../../training/follow/trainingLog.ts';
import { trainingProgress } from '../../training/jobStatus.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

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
      const curve = trainingCurve(entries);
      const steps = curve.steps.map(({ step }) => step);
      expect(steps).toEqual([...new Set(entries.map(({ step }) => step))].sort((a, b) => a - b));
      for (const { step, loss } of curve.steps) {
        expect(loss).toBe(entries.findLast((other) => other.step === step)!.loss);
      }
      expect(curve.latest_step).toBe(entries.at(-1)?.step ?? 0);
    }),
  );
});

describe('a line', () => {
  test('of LLaMA-Factory', () => {
    const line =
      '{"current_steps": 2, "total_steps": 8, "loss": 1.5, "lr": 1e-05, "epoch": 0.25, "elapsed_time": "0:01:07"}';
    expect(parseLogLine(trainerTable['llama-factory'], line)).toEqual({
      step: 2,
      loss: 1.5,
      learningRate: 1e-5,
      validationLoss: null,
      totalSteps: 8,
      elapsedMs: 67_000,
    });
  });

  test.each([
    ['0:00:00', 0],
    ['1 day, 2:03:04', 93_784_000],
    ['3 days, 0:00:01', 259_201_000],
    ['soon', null],
  ])('of LLaMA-Factory after %s', (time, elapsedMs) => {
    const line = JSON.stringify({ current_steps: 1, total_steps: 2, elapsed_time: time });
    expect(parseLogLine(trainerTable['llama-factory'], line)).toMatchObject({ elapsedMs });
  });

  test('of LLaMA-Factory with a loss that is no number, which Python writes as a word', () => {
    const line =
      '{"current_steps": 2, "total_steps": 8, "loss": NaN, "lr": 1e-05, "elapsed_time": "NaN, 0:01"}';
    expect(parseLogLine(trainerTable['llama-factory'], line)).toMatchObject({
      step: 2,
      loss: null,
      learningRate: 1e-5,
    });
    const infinite = '{"current_steps": 2, "total_steps": 8, "loss": -Infinity}';
    expect(parseLogLine(trainerTable['llama-factory'], infinite)).toMatchObject({ loss: null });
  });

  test('of LLaMA-Factory at the end or of a validation has no training loss', () => {
    const end = parseLogLine(
      trainerTable['llama-factory'],
      '{"current_steps": 8, "total_steps": 8, "epoch": 1.0}',
    );
    expect(end).not.toHaveProperty('loss');
    const validation = '{"current_steps": 4, "total_steps": 8, "eval_loss": 2.5, "epoch": 0.5}';
    expect(parseLogLine(trainerTable['llama-factory'], validation)).toMatchObject({ validationLoss: 2.5 });
  });

  test('of verl', () => {
    const line = '{"step":3,"data":{"train/loss":0.5,"train/lr":0.001,"train/grad_norm":null}}';
    expect(parseLogLine(trainerTable.verl, line)).toMatchObject({ step: 3, loss: 0.5, learningRate: 0.001 });
    expect(parseLogLine(trainerTable.verl, '{"step":3,"data":{"val/loss":0.7}}')).toEqual({
      step: 3,
      learningRate: null,
      validationLoss: 0.7,
      totalSteps: null,
      elapsedMs: null,
    });
    expect(parseLogLine(trainerTable.verl, '{"step":3,"data":{"train/loss":null}}')).toMatchObject({
      loss: null,
    });
  });

  test("of TRL's DPO", () => {
    const parsed = (data: object) =>
      parseLogLine(trainerTable['trl-dpo'], JSON.stringify({ step: 3, total_steps: 9, data }));
    expect(parsed({ loss: 0.5, learning_rate: 1e-6, 'logps/chosen': -3 })).toEqual({
      ...{ step: 3, loss: 0.5, learningRate: 1e-6 },
      ...{ validationLoss: null, totalSteps: 9, elapsedMs: null },
    });
    expect(parsed({ loss: null })).toMatchObject({ loss: null });
    expect(parsed({ eval_loss: 0.7 })).not.toHaveProperty('loss');
    expect(parsed({ train_runtime: 3, train_loss: 0.6 })).toBeUndefined();
  });

  test.each(['', '{', 'null', '[]', '{"current_steps":"2"}', 'Traceback'])('that is none: %j', (line) => {
    expect(parseLogLine(trainerTable['llama-factory'], line)).toBeUndefined();
    expect(parseLogLine(trainerTable.verl, line)).toBeUndefined();
  });
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

test('the rate and the time left are those of this attempt', () => {
  const curve = trainingCurve([1, 2, 3, 4, 5, 6].map((step) => entry(step, 1 / step)));
  const progress = trainingProgress({ curve, totalSteps: 10, fromStep: 4, elapsedMs: 60_000 });
  expect(progress).toMatchObject({
    step: 6,
    loss: 1 / 6,
    stepsPerMinute: 2,
    remainingMs: 120_000,
    nanSince: null,
  });
  const logged = trainingProgress({
    curve: { ...curve, elapsed_ms: 20_000 },
    totalSteps: 10,
    fromStep: 4,
    elapsedMs: 60_000,
  });
  expect(logged).toMatchObject({ stepsPerMinute: 6, remainingMs: 40_000 });
  const resumed = trainingProgress({
    curve: { ...curve, elapsed_ms: 20_000 },
    totalSteps: 10,
    fromStep: 4,
    elapsedMs: -5,
  });
  expect(resumed).toMatchObject({ stepsPerMinute: null, remainingMs: null });
  const fresh = trainingProgress({ curve, totalSteps: 10, fromStep: 6, elapsedMs: 60_000 });
  expect(fresh).toMatchObject({ stepsPerMinute: null, remainingMs: null });
});
