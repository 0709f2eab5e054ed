import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { type BalanceConfig, balanceConfigSchema } from '../../../schemas/config/balance.ts';
import {
  type BalanceDecision,
  type BalanceFeatures,
  BalancePlan,
} from '../../../stages/balance/balancePlan.ts';
import { shuffledPairs } from '../../support/shuffledPairs.ts';

const config = (...rules: unknown[]): BalanceConfig => balanceConfigSchema.parse({ rules });

function record(id: number | string, more: Partial<BalanceFeatures> = {}): BalanceFeatures {
  return {
    id: `record_${id}`,
    profile: 'web',
    source: 'a',
    passRate: undefined,
    steps: 3,
    length: 100,
    quality: 1,
    ...more,
  };
}

/** So many records of each profile. */
function records(sizes: Readonly<Record<string, number>>): BalanceFeatures[] {
  return Object.entries(sizes).flatMap(([profile, size]) =>
    Array.from({ length: size }, (_, at) => record(`${profile}${at}`, { profile })),
  );
}

function decide(settings: BalanceConfig, all: readonly BalanceFeatures[], seed = 7): BalanceDecision[] {
  const plan = new BalancePlan(settings, seed);
  for (const one of all) plan.add(one);
  plan.decide();
  return all.map((_, at) => plan.decisionOf(at));
}

/** Ids of kept records with their repeats and weights, in the order of the ids. */
function kept(settings: BalanceConfig, all: readonly BalanceFeatures[], seed?: number): string[] {
  return decide(settings, all, seed)
    .flatMap((decision, at) =>
      decision.kind === 'drop'
        ? []
        : [
            `${all[at]!.id} ${decision.sampling?.repeats ?? 1} ${(decision.sampling?.weight ?? 1).toFixed(6)}`,
          ],
    )
    .sort();
}

/** Rows of each profile, repeats counted. */
function rows(settings: BalanceConfig, all: readonly BalanceFeatures[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [at, decision] of decide(settings, all).entries()) {
    if (decision.kind === 'drop') continue;
    sums[all[at]!.profile] = (sums[all[at]!.profile] ?? 0) + (decision.sampling?.repeats ?? 1);
  }
  return sums;
}

/** A temperature so high that every group is drawn alike. */
const equal = 1e16;

const byProfile = { by: ['profile'] };

test('no rule keeps everything as it is', () => {
  expect(decide(config(), records({ web: 3 }))).toEqual(
    Array.from({ length: 3 }, () => ({ kind: 'keep', sampling: undefined })),
  );
});

describe('caps', () => {
  test('the best of a full group stay', () => {
    const all = [0.2, 0.9, 0.5, 0.7].map((quality, at) => record(at, { quality }));
    const decisions = decide(config({ rule: 'cap', most: 2, ...byProfile }), all);
    expect(decisions.map(({ kind }) => kind)).toEqual(['drop', 'keep', 'drop', 'keep']);
    expect(decisions[0]).toEqual({
      kind: 'drop',
      evidence: {
        rule: 1,
        kind: 'cap',
        group: { profile: 'web' },
        allowed: 2,
        found: 4,
        place: 4,
        quality: 0.2,
      },
    });
  });

  test('each combination of dimensions is a group', () => {
    const all = [
      record(0, { source: 'a', steps: 1 }),
      record(1, { source: 'a', steps: 20 }),
      record(2, { source: 'b', steps: 1 }),
      record(3, { source: 'b', steps: 2 }),
      record(4, { source: undefined }),
    ];
    const decisions = decide(config({ rule: 'cap', most: 1, by: ['source', 'steps'] }), all);
    const dropped = decisions.filter(({ kind }) => kind === 'drop');
    expect(dropped).toMatchObject([{ evidence: { group: { source: 'b', steps: 'short' } } }]);
  });

  test('where leaves the others alone', () => {
    const all = records({ web: 5, mhqa: 5 });
    const settings = config({ rule: 'cap', most: 2, by: ['profile'], where: { profile: 'web' } });
    expect(rows(settings, all)).toEqual({ web: 2, mhqa: 5 });
  });

  test('a value is in the highest bucket whose smallest value it reaches', () => {
    const settings = config({
      rule: 'cap',
      most: 0,
      by: ['length'],
      where: { length: 'medium', difficulty: 'medium' },
    });
    const all = [
      record('short', { length: 9_999, passRate: 0.3 }),
      record('medium', { length: 10_000, passRate: 0.3 }),
      record('longer', { length: 39_999, passRate: 0.69 }),
      record('long', { length: 40_000, passRate: 0.3 }),
      record('hard', { length: 10_000, passRate: 0.29 }),
      record('easy', { length: 10_000, passRate: 0.7 }),
      record('unknown', { length: 10_000 }),
    ];
    expect(decide(settings, all).map(({ kind }) => kind)).toEqual([
      'keep',
      'drop',
      'drop',
      'keep',
      'keep',
      'keep',
      'keep',
    ]);
  });
});

describe('quotas', () => {
  test('no group is more than its share of what is kept', () => {
    const settings = config({ rule: 'quota', share: 0.5, by: ['profile'] });
    expect(rows(settings, records({ web: 100, mhqa: 20, math: 10 }))).toEqual({
      web: 30,
      mhqa: 20,
      math: 10,
    });
    const bound = config({ rule: 'quota', share: 0.1, by: ['profile'], where: { profile: 'web' } });
    expect(rows(bound, records({ web: 100, mhqa: 27 }))).toEqual({ web: 3, mhqa: 27 });
  });

  test('shares that never make a whole are the user’s mistake', () => {
    const settings = config({ rule: 'quota', share: 0.4, by: ['profile'] });
    expect(() => decide(settings, records({ web: 10, mhqa: 10 }))).toThrow(UserError);
    expect(() => decide(settings, records({ web: 10, mhqa: 10 }))).toThrow(
      'balance.rules.0: 2 groups of at most 0.4 each never make a whole; expected a share of 0.500 or more',
    );
  });

  test('the kept sizes hold the share, and no larger ones would', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 50, max: 95 }),
        (sizes, percent) => {
          const share = percent / 100;
          const all = records(Object.fromEntries(sizes.map((size, at) => [`p${at}`, size])));
          const settings = config({ rule: 'quota', share, by: ['profile'] });
          const sums = Object.values(rows(settings, all));
          const total = sums.reduce((sum, size) => sum + size, 0);
          for (const size of sums) expect(size).toBeLessThanOrEqual(share * total + 1e-9);
          // Greatest: what was cut stands at the share of the total.
          const cut = sizes.filter((size, at) => size > (rows(settings, all)[`p${at}`] ?? 0));
          if (cut.length > 0) expect(Math.max(...sums)).toBe(Math.floor(share * total + 1e-9));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('temperature', () => {
  const sizes = { web: 1_000, mhqa: 100, math: 10 };
  const drawn = (more: object) =>
    rows(config({ rule: 'temperature', by: ['profile'], ...more }), records(sizes));

  test('drops down to n^(1/T)', () => {
    expect(drawn({ temperature: 1 })).toEqual(sizes);
    expect(drawn({ temperature: 2 })).toEqual({ web: 100, mhqa: 31, math: 10 });
    expect(drawn({ temperature: equal })).toEqual({ web: 10, mhqa: 10, math: 10 });
  });

  test('fills up to a total from the groups that have enough', () => {
    expect(drawn({ temperature: equal, total: 90 })).toEqual({ web: 40, mhqa: 40, math: 10 });
    expect(drawn({ temperature: equal, total: 9_999 })).toEqual(sizes);
  });

  test('repeats small groups, the best of them once more', () => {
    expect(drawn({ temperature: equal, how: 'repeat', max_repeats: 1_000 })).toEqual({
      web: 370,
      mhqa: 370,
      math: 370,
    });
    expect(drawn({ temperature: equal, how: 'repeat', max_repeats: 4 })).toEqual({
      web: 670,
      mhqa: 400,
      math: 40,
    });
    const all = [
      ...records({ web: 9 }),
      record('best', { profile: 'math', quality: 2 }),
      record('other', { profile: 'math' }),
    ];
    const settings = config({ rule: 'temperature', by: ['profile'], temperature: equal, how: 'repeat' });
    const decisions = decide(settings, all);
    expect(decisions.at(-2)).toEqual({
      kind: 'keep',
      sampling: { repeats: 3, weight: 1, reasons: ['temperature'] },
    });
    expect(decisions.at(-1)).toMatchObject({ sampling: { repeats: 2 } });
  });

  test('weighs to the same sums and keeps every record', () => {
    const settings = config({ rule: 'temperature', by: ['profile'], temperature: equal, how: 'weight' });
    const decisions = decide(settings, records(sizes));
    const weights = decisions.map((one) => (one.kind === 'keep' ? (one.sampling?.weight ?? 1) : 0));
    const sum = (from: number, to: number) =>
      weights.slice(from, to).reduce((total, weight) => total + weight, 0);
    for (const total of [sum(0, 1_000), sum(1_000, 1_100), sum(1_100, 1_110)])
      expect(total).toBeCloseTo(370, 4);
  });
});

const someRecords = fc.uniqueArray(
  fc.record({
    id: fc.nat(10_000).map((id) => `record_${id}`),
    profile: fc.constantFrom('web', 'mhqa', 'math'),
    source: fc.constantFrom('a', 'b', undefined),
    passRate: fc.constantFrom(0, 0.5, 1, undefined),
    steps: fc.nat(20),
    length: fc.nat(50_000),
    quality: fc.constantFrom(0, 0.5, 1),
  }),
  { selector: ({ id }) => id, maxLength: 60 },
);
const someRules = fc.array(
  fc.oneof(
    fc.record({
      rule: fc.constant('cap'),
      most: fc.nat(12),
      by: fc.subarray(['profile', 'source', 'difficulty', 'steps', 'length'], { minLength: 1 }),
    }),
    fc.record({
      rule: fc.constant('quota'),
      share: fc.constant(0.6),
      by: fc.constant(['profile']),
      where: fc.constant({ profile: 'web' }),
    }),
    fc.record({
      rule: fc.constant('temperature'),
      temperature: fc.constantFrom(1, 1.5, 4),
      how: fc.constantFrom('drop', 'repeat', 'weight'),
      by: fc.subarray(['profile', 'source', 'steps'], { minLength: 1 }),
    }),
  ),
  { maxLength: 3 },
);

test('the same records are kept in any order', () => {
  fc.assert(
    fc.property(shuffledPairs(someRecords), someRules, fc.nat(), ([all, shuffled], rules, seed) => {
      const settings = config(...rules);
      let expected: string[];
      try {
        expected = kept(settings, all, seed);
      } catch (error) {
        // Nothing but web is left: its share can't be kept, in any order.
        expect(error).toBeInstanceOf(UserError);
        expect(() => kept(settings, shuffled, seed)).toThrow(UserError);
        return;
      }
      expect(kept(settings, shuffled, seed)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('counts add up, before and after', () => {
  fc.assert(
    fc.property(someRecords, fc.nat(8), (all, most) => {
      const plan = new BalancePlan(config({ rule: 'cap', most, by: ['source'] }), 7);
      for (const one of all) plan.add(one);
      plan.decide();
      const keptRecords = all.filter((_, at) => plan.decisionOf(at).kind === 'keep').length;
      for (const { groups } of plan.counts()) {
        expect(groups.reduce((sum, group) => sum + group.before, 0)).toBe(all.length);
        expect(groups.reduce((sum, group) => sum + group.after, 0)).toBe(keptRecords);
      }
    }),
  );
});

test('another seed chooses others among equals, the same seed the same', () => {
  const all = records({ web: 200 });
  const settings = config({ rule: 'cap', most: 20, by: ['profile'] });
  expect(kept(settings, all, 1)).toEqual(kept(settings, all, 1));
  expect(kept(settings, all, 1)).not.toEqual(kept(settings, all, 2));
});

test('a larger cap only adds records', () => {
  const all = records({ web: 100 });
  const small = kept(config({ rule: 'cap', most: 20, by: ['profile'] }), all);
  const large = kept(config({ rule: 'cap', most: 30, by: ['profile'] }), all);
  expect(large).toEqual(expect.arrayContaining(small));
});
