import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balanceConfigSchema } from '../../../schemas/config/balance.ts';
import type { BalanceTable } from '../../../schemas/run/balanceTable.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { trajectoryFeatures } from '../../../stages/balance/balancePlan.ts';
import { createBalanceStage } from '../../../stages/balance/createBalanceStage.ts';
import { runCorpusStage } from '../../support/runStage.ts';
import { mhqaSteps, taskOf, trajectoryFrom } from '../../support/traceFixture.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';

const balance = (rules: object[], onCounts?: (table: BalanceTable) => Promise<void>) =>
  createBalanceStage({
    config: balanceConfigSchema.parse({ rules }),
    seed: 7,
    ...(onCounts && { onCounts }),
  });

const some = fc.uniqueArray(trajectoryArbitrary(), { selector: ({ id }) => id, maxLength: 12 });

/** A trajectory with so good a verdict on its answer. */
function judged(question: string, score: number, more: Partial<Trajectory> = {}): Trajectory {
  const bare = trajectoryFrom(taskOf('mhqa', { question }), mhqaSteps(['a', 'b', 'c'], 'she'));
  const judgement = score === 1 ? 'correct' : 'incorrect';
  const verdict = { subject: 'answer', judge: 'f1', judgement, score, evidence: {} } as const;
  return { ...bare, rollout: 2, repairs: 0, ...more, quality: { ...bare.quality, verdicts: [verdict] } };
}

test('every record has one outcome, in input order, and the counts told before are those of the outcomes', async () => {
  await fc.assert(
    fc.asyncProperty(some, fc.nat(4), async (trajectories, most) => {
      let table: BalanceTable | undefined;
      const stage = balance([{ rule: 'cap', by: ['profile'], most }], async (counts) => {
        table = counts;
      });
      const outcomes = await runCorpusStage(stage, trajectories);
      expect(outcomes.map(({ index, recordId }) => [index, recordId])).toEqual(
        trajectories.map(({ id }, at) => [at, id]),
      );
      const kept = outcomes.filter(({ outcome }) => outcome.kind === 'emit');
      for (const { dimension, groups } of table!) {
        if (dimension === 'profile') for (const { after } of groups) expect(after).toBeLessThanOrEqual(most);
        expect(groups.reduce((sum, { after }) => sum + after, 0)).toBe(kept.length);
      }
    }),
    { numRuns: 30 },
  );
});

test('the best stays, and evidence says whose place it was', async () => {
  const trajectories = [judged('Who?', 0.5), judged('When?', 1), judged('Where?', 0)];
  const outcomes = await runCorpusStage(balance([{ rule: 'cap', by: ['profile'], most: 1 }]), trajectories);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual([
    {
      kind: 'drop',
      reason: 'over_quota',
      evidence: {
        rule: 1,
        kind: 'cap',
        group: { profile: 'mhqa' },
        allowed: 1,
        found: 3,
        place: 2,
        quality: 0.5,
      },
    },
    { kind: 'emit', records: [trajectories[1]] },
    expect.objectContaining({ kind: 'drop' }),
  ]);
});

test('repeats and weights of earlier stages are multiplied', async () => {
  const before = { repeats: 2, weight: 0.5, reasons: ['error_correction'] };
  const trajectories = [
    judged('Who?', 1, { source: 'small', sampling: before }),
    ...['When?', 'Where?', 'What?'].map((question) => judged(question, 1, { source: 'large' })),
  ];
  const rule = { rule: 'temperature', by: ['source'], temperature: 1e16 };
  const repeated = await runCorpusStage(balance([{ ...rule, how: 'repeat' }]), trajectories);
  expect(repeated[0]).toMatchObject({
    outcome: {
      records: [{ sampling: { repeats: 4, weight: 0.5, reasons: ['error_correction', 'temperature'] } }],
    },
  });
  const weighed = await runCorpusStage(balance([{ ...rule, how: 'weight' }]), trajectories);
  expect(weighed.map(({ outcome }) => outcome.kind === 'emit' && outcome.records[0]!.sampling)).toMatchObject(
    [{ repeats: 2, weight: 1 }, ...[1, 2, 3].map(() => ({ repeats: 1, weight: expect.closeTo(2 / 3, 9) }))],
  );
});

test('what trajectories are grouped by', () => {
  const trajectory = judged('Who?', 1, { source: 'hotpot' });
  const measures = { near_redundant_tool_inputs: 0, steps: 8, chars: 1, pass_rate: 0.25 };
  expect(trajectoryFeatures({ ...trajectory, measures })).toEqual({
    id: trajectory.id,
    profile: 'mhqa',
    source: 'hotpot',
    passRate: 0.25,
    steps: 3,
    length: trajectory.segments.map(({ text }) => text).join('').length,
    quality: 1,
  });
  expect(trajectoryFeatures(trajectory).passRate).toBeUndefined();
});
