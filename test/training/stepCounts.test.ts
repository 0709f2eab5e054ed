import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type StepArithmetic, stepCounts } from '../../training/plan/planTraining.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';

const arithmetic: fc.Arbitrary<StepArithmetic> = fc.record({
  rows: fc.nat(500),
  processes: fc.integer({ min: 1, max: 16 }),
  rowsPerDevice: fc.integer({ min: 1, max: 4 }),
  accumulationSteps: fc.integer({ min: 1, max: 8 }),
  epochs: fc.integer({ min: 1, max: 4 }),
  maxSteps: fc.constant(null),
});

/** Hands rows out as a trainer does, batch by batch, and counts. */
function handOut(rows: number, job: StepArithmetic, takesPart: (batch: number) => boolean): number[] {
  const batch = job.rowsPerDevice * job.accumulationSteps;
  const steps: number[] = [];
  for (let left = rows; left > 0 && takesPart(Math.min(left, batch)); left -= batch) {
    steps.push(Math.min(left, batch));
  }
  return steps;
}

test('LLaMA-Factory: every row is in one step of an epoch, the last of which may be smaller', () => {
  fc.assert(
    fc.property(arithmetic, (job) => {
      const each = Math.ceil(job.rows / job.processes);
      const steps = handOut(each, job, () => true);
      const counted = stepCounts(trainerTable['llama-factory'], job);
      expect(counted).toEqual({
        per_epoch: steps.length,
        total: steps.length * job.epochs,
        rows_left_out: 0,
      });
    }),
  );
});

test('verl: only whole batches, and what is left over is counted', () => {
  fc.assert(
    fc.property(arithmetic, (job) => {
      const batch = job.rowsPerDevice * job.accumulationSteps;
      const steps = handOut(Math.floor(job.rows / job.processes), job, (rows) => rows === batch);
      const counted = stepCounts(trainerTable.verl, job);
      expect(counted.per_epoch).toBe(steps.length);
      expect(counted.total).toBe(steps.length * job.epochs);
      expect(counted.rows_left_out).toBe(job.rows - steps.length * batch * job.processes);
    }),
  );
});

test('half an epoch is rounded up to steps, and a number of steps is taken as it is', () => {
  const job = {
    rows: 100,
    processes: 8,
    rowsPerDevice: 1,
    accumulationSteps: 4,
    epochs: 1.5,
    maxSteps: null,
  };
  expect(stepCounts(trainerTable['llama-factory'], job)).toEqual({
    per_epoch: 4,
    total: 6,
    rows_left_out: 0,
  });
  expect(stepCounts(trainerTable['llama-factory'], { ...job, maxSteps: 11 }).total).toBe(11);
});
