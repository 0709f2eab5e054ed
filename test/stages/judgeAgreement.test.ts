import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nothingUsed } from '../../schemas/chat.ts';
import { judgeAgreementSchema } from '../../schemas/judgeCalibration.ts';
import { Agreement, type Judged } from '../../stages/judge/calibrateRow.ts';

type Row = readonly [label: boolean, judged: Judged];

function agreementOf(rows: readonly Row[]) {
  const agreement = new Agreement('rule');
  for (const [label, judged] of rows) agreement.add(label, { judged, usage: nothingUsed, costUsd: 0 });
  return judgeAgreementSchema.parse(agreement.result());
}

const judged = fc.constantFrom<Judged>('correct', 'incorrect', 'unscored');
const rows = fc.array(fc.tuple(fc.boolean(), judged), { maxLength: 60 });

/** Cohen's kappa of two lists of marks, straight from its definition. */
function kappaOf(pairs: readonly (readonly [boolean, boolean])[]): number | null {
  const share = (holds: (pair: readonly [boolean, boolean]) => boolean) =>
    pairs.filter(holds).length / pairs.length;
  const observed = share(([a, b]) => a === b);
  const chance = share(([a]) => a) * share(([, b]) => b) + share(([a]) => !a) * share(([, b]) => !b);
  return pairs.length === 0 || chance === 1 ? null : (observed - chance) / (1 - chance);
}

test('kappa is that of its definition, and nothing that is unscored moves a ratio', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const all = agreementOf(given);
      const scored = given.filter(([, judged]) => judged !== 'unscored');
      const expected = kappaOf(scored.map(([label, judged]) => [label, judged === 'correct']));
      if (expected === null) expect(all.kappa).toBeNull();
      else expect(all.kappa).toBeCloseTo(expected, 9);
      expect(all).toEqual({ ...agreementOf(scored), unscored: given.length - scored.length });
    }),
  );
});

test('a judge that always agrees has ratios of 1, one that never does has 0, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 2 }), (labels) => {
      fc.pre(labels.includes(true) && labels.includes(false));
      const agreeing = labels.map((label): Row => [label, label ? 'correct' : 'incorrect']);
      expect(agreementOf(agreeing)).toMatchObject({ precision: 1, recall: 1, f1: 1, kappa: 1 });
      expect(agreementOf(agreeing.toReversed())).toEqual(agreementOf(agreeing));
      const differing = labels.map((label): Row => [label, label ? 'incorrect' : 'correct']);
      expect(agreementOf(differing)).toMatchObject({ precision: 0, recall: 0, f1: 0 });
    }),
  );
});

test('where there is nothing to divide by there is no ratio', () => {
  expect(agreementOf([])).toMatchObject({ precision: null, recall: null, f1: null, kappa: null });
  expect(agreementOf([[true, 'correct']])).toMatchObject({ precision: 1, recall: 1, kappa: null });
  expect(agreementOf([[false, 'incorrect']])).toMatchObject({
    precision: null,
    recall: null,
    f1: null,
    kappa: null,
  });
});
