import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bootstrapEstimate,
  figuresEstimate,
  meanEstimate,
  pairedEstimate,
  shareEstimate,
  standardError,
  type TaskFigure,
} from '../../../base/statistics/estimates.ts';
import { passAtK, passPowerK } from '../../../base/statistics/passAtK.ts';
import { fairCoinTest, studentTQuantile } from '../../../base/statistics/studentT.ts';
import { cases, isFull } from '../../support/cases.ts';
import { seededRandom } from '../../support/seededRandom.ts';

interface References {
  readonly means: readonly {
    readonly tasks: readonly TaskFigure[];
    readonly error: number;
    readonly mean: number;
    readonly low: number;
    readonly high: number;
  }[];
  readonly shares: readonly { hits: number; tasks: number; low: number; high: number }[];
  readonly passes: readonly { n: number; c: number; k: number; at: number; power: number }[];
  readonly mcnemar: readonly { wins: number; losses: number; p: number }[];
  readonly quantiles: readonly { probability: number; freedom: number; t: number }[];
}

/** Made by `make_references.py` beside it. */
const references: References = JSON.parse(readFileSync(new URL('references.json', import.meta.url), 'utf8'));

const near = (found: number | undefined, expected: number) =>
  expect(Math.abs(found! - expected)).toBeLessThan(1e-9 * Math.max(1, Math.abs(expected)));

describe('equal to scipy, statsmodels and Inspect to 1e-9', () => {
  test("quantiles of Student's t", () => {
    for (const { probability, freedom, t } of references.quantiles)
      near(studentTQuantile(probability, freedom), t);
  });

  test('means, by clusters too', () => {
    for (const { tasks, error, mean, low, high } of references.means) {
      near(standardError(tasks).error, error);
      const found = meanEstimate(tasks);
      near(found?.value, mean);
      near(found?.low, low);
      near(found?.high, high);
    }
  });

  test('of none and of all the bounds are 0 and 1 to the last digit', () => {
    for (let tasks = 1; tasks <= 200; tasks++) {
      expect(shareEstimate(0, tasks)!.low).toBe(0);
      expect(shareEstimate(tasks, tasks)!.high).toBe(1);
    }
  });

  test("shares by Wilson's interval", () => {
    for (const { hits, tasks, low, high } of references.shares) {
      near(shareEstimate(hits, tasks)?.low, low);
      near(shareEstimate(hits, tasks)?.high, high);
    }
  });

  test('pass@k and pass^k', () => {
    for (const { n, c, k, at, power } of references.passes) {
      near(passAtK(n, c, k), at);
      near(passPowerK(n, c, k), power);
    }
  });

  test("McNemar's exact test", () => {
    for (const { wins, losses, p } of references.mcnemar) near(fairCoinTest(wins, wins + losses), p);
  });
});

describe('pass@k', () => {
  test('is the share of draws of k with a right one, counted out', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }), fc.nat(8), (samples, more) => {
        const n = samples.length;
        const k = 1 + (more % n);
        const c = samples.filter(Boolean).length;
        const draws = subsetsOf(samples, k);
        near(passAtK(n, c, k), draws.filter((draw) => draw.includes(true)).length / draws.length);
        near(passPowerK(n, c, k), draws.filter((draw) => !draw.includes(false)).length / draws.length);
      }),
    );
  });

  test('is not known from fewer than k scored samples', () => {
    expect(passAtK(2, 2, 3)).toBeUndefined();
    expect(passPowerK(0, 0, 1)).toBeUndefined();
  });
});

function subsetsOf<T>(of: readonly T[], k: number): T[][] {
  if (k === 0) return [[]];
  return of.flatMap((first, at) => subsetsOf(of.slice(at + 1), k - 1).map((rest) => [first, ...rest]));
}

/** Tasks whose chances of a right answer differ, some far more than others. */
type World = (random: () => number) => TaskFigure[];
const taskChance = (random: () => number): number => Math.min(1, Math.max(0, 0.5 + (random() - 0.5) * 1.2));
const shareOf = (random: () => number, chance: number, samples: number): number =>
  Array.from({ length: samples }, () => Number(random() < chance)).reduce((sum, hit) => sum + hit, 0) /
  samples;
const TRUTH = 0.5;

const worlds: Record<string, World> = {
  '30 tasks x 16': (random) =>
    Array.from({ length: 30 }, () => ({ value: shareOf(random, taskChance(random), 16) })),
  '103 tasks x 1': (random) =>
    Array.from({ length: 103 }, () => ({ value: shareOf(random, taskChance(random), 1) })),
  '40 clusters of 5': (random) =>
    Array.from({ length: 40 }, (_, cluster) => {
      const chance = taskChance(random);
      return Array.from({ length: 5 }, () => ({
        value: shareOf(random, chance, 1),
        cluster: String(cluster),
      }));
    }).flat(),
};

/** What a task took, and whether it was solved. */
interface Work {
  readonly cost: number;
  readonly solved: number;
  readonly cluster?: string;
}

describe('95% intervals hold the truth in 93 to 97 of 100 cases', () => {
  const rounds = cases(10_000);

  test.each(Object.entries(worlds))('%s', (_, world) => {
    const random = seededRandom(7);
    let held = 0;
    for (let round = 0; round < rounds; round++) {
      const { low, high } = meanEstimate(world(random))!;
      if (low <= TRUTH && TRUTH <= high) held++;
    }
    expect(held / rounds).toBeGreaterThan(0.93);
    expect(held / rounds).toBeLessThan(0.97);
  });

  test('103 tasks, one yes or no each, by Wilson', () => {
    const random = seededRandom(8);
    let held = 0;
    for (let round = 0; round < rounds; round++) {
      const hits = shareOf(random, 0.55, 103) * 103;
      const { low, high } = shareEstimate(hits, 103)!;
      if (low <= 0.55 && 0.55 <= high) held++;
    }
    expect(held / rounds).toBeGreaterThan(0.93);
    expect(held / rounds).toBeLessThan(0.97);
  });

  test('a ratio by the bootstrap: cost a solved task', () => {
    const random = seededRandom(9);
    const trials = isFull ? 600 : 200;
    let held = 0;
    for (let trial = 0; trial < trials; trial++) {
      const tasks: Work[] = Array.from({ length: 60 }, () => ({
        cost: 1 + random(),
        solved: Number(random() < 0.6),
      }));
      const ratio = (of: readonly Work[]) =>
        of.reduce((sum, { cost }) => sum + cost, 0) / of.reduce((sum, { solved }) => sum + solved, 0);
      const { low, high } = bootstrapEstimate(tasks, ratio, { seed: trial, draws: 400 })!;
      if (low <= 2.5 && 2.5 <= high) held++;
    }
    expect(held / trials).toBeGreaterThan(0.9);
    expect(held / trials).toBeLessThan(0.985);
  });
});

describe('a standard error by task', () => {
  test('counting rows instead of tasks would be far too sure', () => {
    const random = seededRandom(10);
    const chances = Array.from({ length: 30 }, () => (random() < 0.5 ? 0.05 : 0.95));
    const rows = chances.flatMap((chance, task) =>
      Array.from({ length: 16 }, () => ({ value: shareOf(random, chance, 1), cluster: String(task) })),
    );
    const naive = standardError(rows.map(({ value }) => ({ value }))).error;
    expect(standardError(rows).error).toBeGreaterThan(2 * naive);
  });

  test('of shares no bound is outside of what a share can be', () => {
    const cluster = 'a';
    expect(figuresEstimate([{ value: 0.25 }, { value: 1 }])).toMatchObject({ low: 0, high: 1 });
    expect(figuresEstimate([{ value: 1, cluster }])).toEqual({ value: 1, low: 0, high: 1 });
    expect(figuresEstimate([])).toBeUndefined();
  });

  test('of one cluster nothing is known', () => {
    const estimate = meanEstimate([
      { value: 1, cluster: 'a' },
      { value: 0, cluster: 'a' },
    ]);
    expect(estimate).toEqual({ value: 0.5, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY });
    expect(meanEstimate([])).toBeUndefined();
    expect(shareEstimate(0, 0)).toBeUndefined();
  });
});

describe('two players on the same tasks', () => {
  test('the order of the players changes the sign alone', () => {
    const figure = fc.constantFrom(0, 0.25, 1);
    fc.assert(
      fc.property(fc.array(fc.record({ a: figure, b: figure }), { minLength: 2 }), (pairs) => {
        const ahead = pairedEstimate(pairs)!;
        const behind = pairedEstimate(pairs.map(({ a, b }) => ({ a: b, b: a })))!;
        near(behind.value, -ahead.value);
        near(behind.low, -ahead.high);
        near(behind.mcnemarP, ahead.mcnemarP);
        expect([behind.wins, behind.ties, behind.losses]).toEqual([ahead.losses, ahead.ties, ahead.wins]);
        expect(ahead.wins + ahead.ties + ahead.losses).toBe(pairs.length);
      }),
    );
  });

  test('a difference as large as the least detectable is shown in about 80 of 100 cases', () => {
    const random = seededRandom(11);
    const pairsAhead = (by: number) =>
      Array.from({ length: 200 }, () => {
        const chance = 0.2 + random() * 0.5;
        return { a: Number(random() < chance + by), b: Number(random() < chance) };
      });
    const by = pairedEstimate(pairsAhead(0))!.leastDetectable;
    const shown = Array.from({ length: 600 }, () => pairedEstimate(pairsAhead(by))!.low > 0);
    const share = shown.filter(Boolean).length / shown.length;
    expect(share).toBeGreaterThan(0.72);
    expect(share).toBeLessThan(0.88);
  });

  test('same seed, same bounds', () => {
    const tasks: TaskFigure[] = [1, 0, 1, 1, 0, 0.5].map((value) => ({ value }));
    const mean = (of: readonly TaskFigure[]) => of.reduce((sum, { value }) => sum + value, 0) / of.length;
    expect(bootstrapEstimate(tasks, mean, { seed: 3 })).toEqual(bootstrapEstimate(tasks, mean, { seed: 3 }));
    expect(bootstrapEstimate([], mean, { seed: 3 })).toBeUndefined();
  });
});
