import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskTests } from '../../schemas/task.ts';
import { trajectoryOfRow, trajectoryRow, trajectoryRowSchema } from '../../schemas/trainers/trajectoryRow.ts';
import type { Trajectory, TrajectorySampling } from '../../schemas/trajectory.ts';
import { trajectoryArbitrary } from '../support/trajectoryArbitrary.ts';

// Judges name the keys of their evidence; zod leaves out `__proto__`, which no judge writes.
const evidence = fc
  .dictionary(fc.string(), fc.jsonValue())
  .filter((value) => !JSON.stringify(value).includes('__proto__'));

const verdict = fc
  .record(
    {
      subject: fc.constantFrom('answer', 'suggested_answer'),
      score: fc.constantFrom(0, 0.5, 1),
      evidence,
      marked_segments: fc.array(fc.nat(), { minLength: 1 }),
    },
    { requiredKeys: ['subject', 'score', 'evidence'] },
  )
  .map((found) => ({ judge: 'f1', judgement: 'correct', ...found }) as const);

// One type a column: no row may lack what another has.
const verdictColumns = ['evidence', 'judge', 'judgement', 'marked_segments', 'score', 'subject'];

test('a row gives its trajectory back through JSON', () => {
  fc.assert(
    fc.property(
      trajectoryArbitrary(),
      fc.array(verdict, { maxLength: 2 }),
      fc.option(fc.constant<TaskTests>({ kind: 'functional', checks: ['assert f(1)'] })),
      fc.option(fc.string()),
      fc.option(fc.constant<TrajectorySampling>({ repeats: 2, weight: 0.5, reasons: ['temperature'] })),
      fc.integer({ min: 0, max: 2 }),
      (bare, verdicts, tests, source, sampling, rollout) => {
        const trajectory: Trajectory = {
          ...bare,
          ...(rollout > 0 && { rollout }),
          ...(tests ? { tests } : {}),
          ...(source === null ? {} : { source }),
          ...(sampling ? { sampling } : {}),
          quality: { ...bare.quality, verdicts: JSON.parse(JSON.stringify(verdicts)) },
        };
        const row = trajectoryRowSchema.parse(JSON.parse(JSON.stringify(trajectoryRow(trajectory))));
        for (const found of row.quality.verdicts) expect(Object.keys(found).sort()).toEqual(verdictColumns);
        expect(trajectoryOfRow(row)).toEqual(trajectory);
      },
    ),
    { numRuns: 50 },
  );
});
