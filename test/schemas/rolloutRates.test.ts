import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import { rolloutNotice, rolloutRates } from '../../schemas/rolloutRates.ts';
import { seededRandom } from '../support/seededRandom.ts';

const line = (passed: number, samples: number, unscored = 0): PassRateLine => ({
  task_id: 't',
  ...{ passed, samples, unscored, without_answer: 0 },
});

test('unscored rollouts are in no rate, and pass@k is not known from fewer than k', () => {
  const rates = rolloutRates([line(1, 2, 1), line(0, 3), line(3, 3), line(0, 0, 2)])!;
  expect(rates).toMatchObject({ tasks: 4, right: 4, wrong: 4, unscored: 3 });
  expect(rates.pass_at['1']).toMatchObject({ value: (1 / 2 + 0 + 1) / 3, tasks: 3 });
  expect(rates.pass_at['2']).toMatchObject({ value: (1 + 0 + 1) / 3, tasks: 3 });
  expect(rates.pass_at['3']).toMatchObject({ value: 1 / 2, tasks: 2 });
  expect(Object.keys(rates.pass_at)).toEqual(['1', '2', '3']);
  expect(rates.tasks_by_right).toEqual([
    { right: 0, scored: 0, tasks: 1 },
    { right: 1, scored: 2, tasks: 1 },
    { right: 0, scored: 3, tasks: 1 },
    { right: 3, scored: 3, tasks: 1 },
  ]);
  expect(rolloutNotice(rates)).toMatch(/^pass@1 0\.50 \(0\.15 to 0\.85\), pass@2 0\.67 .*3 unscored$/);
  expect(rolloutRates([line(1, 1), line(0, 1), line(0, 0, 1)])).toBeUndefined();
});

test('wrong ones without an answer are told', () => {
  const counted = { task_id: 't', passed: 1, samples: 4, unscored: 1, without_answer: 2 };
  expect(rolloutNotice(rolloutRates([counted])!)).toMatch(/3 wrong \(2 without an answer\), 1 unscored$/);
});

test('counts add up, bounds hold the value, and the order of the tasks does not matter', () => {
  const tasks = fc.array(
    fc
      .tuple(fc.nat(9), fc.nat(9), fc.nat(3))
      .map(([passed, wrong, unscored]) => line(passed, passed + wrong, unscored)),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(tasks, (lines) => {
      const rates = rolloutRates(lines);
      if (rates === undefined) return;
      const { right, wrong, unscored, pass_at, tasks_by_right } = rates;
      const all = lines.reduce((sum, { samples, unscored: left = 0 }) => sum + samples + left, 0);
      expect(right + wrong + unscored).toBe(all);
      expect(tasks_by_right.reduce((sum, of) => sum + of.tasks, 0)).toBe(lines.length);
      for (const { value, low, high } of Object.values(pass_at)) {
        expect(low).toBeLessThanOrEqual(value + 1e-12);
        expect(high).toBeGreaterThanOrEqual(value - 1e-12);
      }
      const again = rolloutRates(lines.toReversed())!;
      expect(again.tasks_by_right).toEqual(tasks_by_right);
      for (const [k, { value }] of Object.entries(pass_at))
        expect(again.pass_at[k]!.value).toBeCloseTo(value, 12);
    }),
    { numRuns: 100, seed: 7 },
  );
});

/** Chances of a right rollout: many tasks are hopeless or easy, as in maths data. */
const chance = (random: () => number): number => {
  const kind = random();
  return kind < 0.25 ? 0 : kind < 0.4 ? 1 : random() ** 2;
};

/** The mean of 1 - (1 - p)^k over all such tasks. */
const truth = (k: number): number => {
  // Over the squares of uniform numbers: 1 - E[(1 - u^2)^k].
  let miss = 0;
  for (let at = 0; at < 10_000; at++) miss += (1 - ((at + 0.5) / 10_000) ** 2) ** k / 10_000;
  return 0.15 + 0.6 * (1 - miss);
};

test('500 tasks x 8: pass@1, @3 and @8 are within their intervals of the truth in 95 of 100 seeds', () => {
  const found = { 1: 0, 3: 0, 8: 0 };
  const ofTheseTasks = { 1: 0, 3: 0, 8: 0 };
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (let seed = 0; seed < 100; seed++) {
    const random = seededRandom(seed);
    const chances = Array.from({ length: 500 }, () => chance(random));
    const tasks = chances.map((p) => {
      const passed = Array.from({ length: 8 }, () => random() < p).filter(Boolean).length;
      return line(passed, 8);
    });
    const { pass_at } = rolloutRates(tasks)!;
    for (const k of [1, 3, 8] as const) {
      const { low, high } = pass_at[k]!;
      const isIn = (value: number) => Number(low <= value && value <= high);
      found[k] += isIn(truth(k));
      ofTheseTasks[k] += isIn(mean(chances.map((p) => 1 - (1 - p) ** k)));
    }
  }
  for (const k of [1, 3, 8] as const) {
    expect(found[k], `pass@${k}`).toBeGreaterThanOrEqual(95);
    // The tasks are known here, so that only the rollouts are left to chance.
    expect(ofTheseTasks[k], `pass@${k} of these tasks`).toBeGreaterThanOrEqual(95);
  }
});

test.each([
  { enough: 1, unscored: 0 },
  { enough: 2, unscored: 0 },
  // A task that stays unsolved has fewer judged rollouts for each that failed: it must not drop out for that.
  { enough: 1, unscored: 0.1 },
  { enough: 2, unscored: 0.1 },
])(
  '500 tasks, at most 8 rollouts until $enough are right, $unscored of them unscored: pass@k is no higher for that',
  ({ enough, unscored: share }) => {
    const found = { 1: 0, 3: 0, 8: 0 };
    for (let seed = 0; seed < 100; seed++) {
      const random = seededRandom(seed);
      const tasks = Array.from({ length: 500 }, () => {
        const p = chance(random);
        let [passed, samples, unscored] = [0, 0, 0];
        let first_right: number | undefined;
        while (samples + unscored < 8 && passed < enough) {
          if (share > 0 && random() < share) {
            unscored++;
            continue;
          }
          samples++;
          if (random() >= p) continue;
          passed++;
          first_right ??= samples;
        }
        return { ...line(passed, samples, unscored), ...(first_right !== undefined && { first_right }) };
      });
      const { pass_at } = rolloutRates(tasks)!;
      for (const k of [1, 3, 8] as const) {
        expect(pass_at[k]!.tasks).toBe(500);
        found[k] += Number(pass_at[k]!.low <= truth(k) && truth(k) <= pass_at[k]!.high);
      }
    }
    for (const k of [1, 3, 8] as const) expect(found[k], `pass@${k}`).toBeGreaterThanOrEqual(90);
  },
);
