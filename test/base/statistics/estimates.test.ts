import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { studentTQuantile } from '../../../base/statistics/beta.ts';
import {
  figuresEstimate,
  shareEstimate,
  standardError,
  type TaskFigure,
} from '../../../base/statistics/estimates.ts';
import { pairedEstimate, signFlipTest, type TaskPair } from '../../../base/statistics/pairedEstimate.ts';
import { passAtK, passEstimates, passPowerEstimates } from '../../../base/statistics/passAtK.ts';
import { type Amount, ratioEstimate } from '../../../base/statistics/ratioEstimate.ts';
import { coverageOf, designs, drawnPairs } from '../../../bench/support/coverage.ts';
import { cases, isFull } from '../../support/cases.ts';
import { mulberry32 } from '../../support/mulberry32.ts';

interface References {
  readonly means: readonly {
    readonly tasks: readonly TaskFigure[];
    readonly error: number;
    readonly mean: number;
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

  test('means and their standard errors, by clusters too', () => {
    for (const { tasks, error, mean } of references.means) {
      near(standardError(tasks), error);
      near(figuresEstimate(tasks)?.value, mean);
    }
  });

  test('of none and of all the bounds are 0 and 1 to the last digit', () => {
    for (let tasks = 1; tasks <= 200; tasks++) {
      expect(shareEstimate(0, tasks)!.low).toBe(0);
      expect(shareEstimate(tasks, tasks)!.high).toBe(1);
    }
  });

  test('shares by the score interval of Wilson, of figures of one sample each too', () => {
    for (const { hits, tasks, low, high } of references.shares) {
      const figures = Array.from({ length: tasks }, (_, at) => ({ value: Number(at < hits) }));
      for (const found of [shareEstimate(hits, tasks), figuresEstimate(figures)]) {
        near(found?.low, low);
        near(found?.high, high);
      }
    }
  });

  test('pass@k and pass^k', () => {
    for (const { n, c, k, at, power } of references.passes) {
      near(passAtK(n, c, k), at);
      near(powerOf(n, c, k), power);
    }
  });

  test("McNemar's exact test, by the sign-flip test of one sample a task", () => {
    for (const { wins, losses, p } of references.mcnemar)
      near(signFlipTest([...Array(wins).fill(1), ...Array(losses).fill(-1), 0]), p);
  });
});

const powerOf = (scored: number, right: number, k: number) =>
  passPowerEstimates([{ scored, right }], [k]).get(k)?.value;

describe('pass@k', () => {
  test('is the share of draws of k with a right one, counted out', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }), fc.nat(8), (samples, more) => {
        const n = samples.length;
        const k = 1 + (more % n);
        const c = samples.filter(Boolean).length;
        const draws = subsetsOf(samples, k);
        near(passAtK(n, c, k), draws.filter((draw) => draw.includes(true)).length / draws.length);
        near(powerOf(n, c, k), draws.filter((draw) => !draw.includes(false)).length / draws.length);
      }),
    );
  });

  test('is not known from fewer than k scored samples', () => {
    expect(passAtK(2, 2, 3)).toBeUndefined();
    expect(powerOf(0, 0, 1)).toBeUndefined();
  });
});

test('pass@k and both of its bounds do not fall with k, pass^k and its bounds do not rise', () => {
  const task = fc.record({ right: fc.nat(6), wrong: fc.nat(6), cluster: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(fc.array(task, { minLength: 1, maxLength: 12 }), fc.boolean(), (drawn, isWhole) => {
      const tasks = drawn.map(({ right, wrong, cluster }) => ({
        scored: isWhole ? 6 : right + wrong,
        right,
        cluster,
      }));
      const ks = [1, 2, 3, 4, 5, 6];
      const [at, power] = [passEstimates(tasks, ks), passPowerEstimates(tasks, ks)];
      for (const k of ks) {
        const [own, all] = [at.get(k), power.get(k)];
        if (!own || !all) continue;
        expect(own.low).toBeLessThanOrEqual(own.value + 1e-12);
        expect(own.high).toBeGreaterThanOrEqual(own.value - 1e-12);
        const [before, allBefore] = [at.get(k - 1), power.get(k - 1)];
        if (before?.tasks !== own.tasks) continue;
        for (const of of ['value', 'low', 'high'] as const) {
          expect(own[of]).toBeGreaterThanOrEqual(before[of] - 1e-12);
          expect(all[of]).toBeLessThanOrEqual(allBefore![of] + 1e-12);
        }
      }
    }),
  );
});

function subsetsOf<T>(of: readonly T[], k: number): T[][] {
  if (k === 0) return [[]];
  return of.flatMap((first, at) => subsetsOf(of.slice(at + 1), k - 1).map((rest) => [first, ...rest]));
}

describe('95% intervals', () => {
  const rounds = cases(1_000);
  // All of the designs by `bench/intervals.bench.ts`.
  const chosen = designs.filter(({ tasks }) => isFull || tasks === 5 || tasks === 12);

  test.each([...Map.groupBy(chosen, ({ of }) => of)])(
    '%s: hold the truth in 93 to 97 of 100 cases, with a width',
    (of, own) => {
      for (const [tasks, ofSize] of Map.groupBy(own, (design) => design.tasks)) {
        const found = ofSize.map((design) => ({ ...design, ...coverageOf(design, rounds) }));
        for (const { broken, name } of found) expect(broken, `${name}, ${tasks} tasks`).toBe(0);
        const held = found.reduce((sum, own) => sum + own.held, 0) / found.length;
        const chance = 4 * Math.sqrt(0.05 / (rounds * found.length));
        expect(held, `${of}, ${tasks} tasks`).toBeGreaterThan(0.93 - chance);
        expect(held, `${of}, ${tasks} tasks`).toBeLessThan(0.97 + chance);
      }
    },
  );

  const figure = fc.record({
    value: fc.constantFrom(0, 0.25, 0.5, 1),
    cluster: fc.constantFrom('a', 'b', 'c'),
  });
  const figures = fc.array(
    fc.oneof(
      figure,
      figure.map(({ value }) => ({ value })),
    ),
    { minLength: 1 },
  );

  test('hold the figure, lie in what it can be and have a width, whatever the tasks', () => {
    fc.assert(
      fc.property(figures, (tasks: readonly TaskFigure[]) => {
        const { value, low, high } = figuresEstimate(tasks)!;
        expect(0 <= low && low <= value && value <= high && high <= 1).toBe(true);
        expect(high - low).toBeGreaterThan(0.001);
        const { p, ...difference } = pairedEstimate(
          tasks.map((task) => ({ ...task, a: task.value, b: 0.5 })),
        )!;
        expect(-1 <= difference.low && difference.high <= 1 && difference.low < difference.high).toBe(true);
        expect(0 < p && p <= 1).toBe(true);
        const amounts: Amount[] = tasks.map((task) => ({ ...task, amount: task.value, count: 1 }));
        const mean = ratioEstimate(amounts)!;
        expect(0 <= mean.low && mean.low <= mean.value && mean.value <= mean.high).toBe(true);
        expect(mean.low).toBeLessThan(mean.high);
      }),
    );
  });

  test.each<[string, readonly TaskFigure[], number, number]>([
    ['all right in two clusters', clustersOf(2, 10), 0.342, 1],
    ['all right in twenty tasks', Array(20).fill({ value: 1 }), 0.839, 1],
    ['one half in each of ten tasks', Array(10).fill({ value: 0.5 }), 0.427, 0.573],
    ['one task', [{ value: 1 }], 0.207, 1],
  ])('%s', (_, tasks, low, high) => {
    expect(figuresEstimate(tasks)!.low).toBeCloseTo(low, 2);
    expect(figuresEstimate(tasks)!.high).toBeCloseTo(high, 2);
  });

  test('of nothing there is none; an amount of 0 has no upper bound', () => {
    expect([figuresEstimate([]), pairedEstimate([]), shareEstimate(0, 0)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(ratioEstimate([{ amount: 5, count: 0 }])).toBeUndefined();
    expect(ratioEstimate([{ amount: 0, count: 1 }])).toEqual({
      value: 0,
      low: 0,
      high: Number.POSITIVE_INFINITY,
    });
  });

  test('tasks of a cluster that are alike tell as much as one', () => {
    const one = Array.from({ length: 8 }, (_, at) => ({ value: at % 2 }));
    const alike = one.flatMap(({ value }, at) => Array(5).fill({ value, cluster: String(at) }));
    near(figuresEstimate(alike)?.low, figuresEstimate(one)!.low);
  });
});

function clustersOf(clusters: number, tasks: number): TaskFigure[] {
  return Array.from({ length: clusters * tasks }, (_, at) => ({ value: 1, cluster: String(at % clusters) }));
}

describe('two players on the same tasks', () => {
  test('the order of the players changes the sign alone', () => {
    const figure = fc.constantFrom(0, 0.25, 1);
    fc.assert(
      fc.property(fc.array(fc.record({ a: figure, b: figure }), { minLength: 2 }), (pairs) => {
        const ahead = pairedEstimate(pairs)!;
        const behind = pairedEstimate(pairs.map(({ a, b }) => ({ a: b, b: a })))!;
        near(behind.value, -ahead.value);
        near(behind.low, -ahead.high);
        near(behind.p, ahead.p);
        expect([behind.wins, behind.ties, behind.losses]).toEqual([ahead.losses, ahead.ties, ahead.wins]);
        expect(ahead.wins + ahead.ties + ahead.losses).toBe(pairs.length);
      }),
    );
  });

  test('three wins of three: no certain difference, none would be seen', () => {
    const pairs: TaskPair[] = Array(3).fill({ a: 1, b: 0 });
    const { value, low, high, p, leastDetectable } = pairedEstimate(pairs)!;
    expect([value, high, p]).toEqual([1, 1, 0.25]);
    expect(low).toBeLessThan(0);
    expect(leastDetectable).toBeGreaterThan(1);
  });

  test('tasks of two clusters are two turns of a coin, however many they are', () => {
    const pairs = Array.from({ length: 40 }, (_, at) => ({ a: 1, b: 0, cluster: String(at % 2) }));
    const { low, p } = pairedEstimate(pairs)!;
    expect(p).toBe(0.5);
    expect(low).toBeLessThan(0);
  });

  test('equal players are told apart in at most 5 of 100 cases, in clusters too', () => {
    const random = mulberry32(3);
    const trials = cases(2_000);
    for (const [size, samples] of [
      [1, 1],
      [1, 4],
      [4, 1],
    ] as const) {
      const ps = Array.from(
        { length: trials },
        () => drawnPairs(random, { tasks: 40, size, samples, rho: 0.5, b: 0.5, by: 0 })!.p,
      );
      const share = ps.filter((p) => p < 0.05).length / trials;
      expect(share).toBeLessThan(0.05 + 4 * Math.sqrt(0.05 / trials));
    }
  });

  test('a difference as large as the least detectable is shown in about 80 of 100 cases', () => {
    const random = mulberry32(11);
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
});
