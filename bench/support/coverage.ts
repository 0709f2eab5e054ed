/** How often the intervals that we print hold the truth: ways in which results come about, drawn again and again. */
import { type Estimate, figuresEstimate, shareEstimate } from '../../base/statistics/estimates.ts';
import { firstHitEstimates } from '../../base/statistics/firstHits.ts';
import { pairedEstimate } from '../../base/statistics/pairedEstimate.ts';
import { passEstimates } from '../../base/statistics/passAtK.ts';
import { ratioEstimate } from '../../base/statistics/ratioEstimate.ts';
import { sum } from '../../base/sum.ts';
import { forecastCount, forecastSum, Moments } from '../../pipeline/estimate/interval.ts';
import { mulberry32 } from '../../test/support/mulberry32.ts';
import { amounts, chance, clustered, hits, normal, type Random, times } from './draws.ts';

type Interval = Pick<Estimate, 'low' | 'high'>;

/**
 * A way in which results come about. What nobody knows beforehand (how good a player is, how alike tasks of a cluster
 * are) is drawn as well, so that the share of draws in which an interval holds the truth is its mean coverage.
 */
export interface Design {
  /** Of which interval. */
  readonly of: string;
  readonly name: string;
  readonly tasks: number;
  /** An interval and the truth; undefined where nothing is printed. */
  readonly draw: (random: Random) => (Interval & { readonly truth: number }) | undefined;
}

/** What came of drawing a design. */
export interface Coverage {
  /** Share of the printed intervals that hold the truth. */
  readonly held: number;
  readonly drawn: number;
  /** Intervals without width, below what the figure can be, or that do not hold the figure itself. */
  readonly broken: number;
}

/** Draws a design so often. */
export function coverageOf({ draw, name, tasks }: Design, rounds: number): Coverage {
  const random = mulberry32(
    tasks * 31 + [...name].reduce((hash, letter) => hash * 33 + letter.charCodeAt(0), 7),
  );
  let [held, drawn, broken] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const interval = draw(random);
    if (!interval) continue;
    const { low, high, truth } = interval;
    drawn++;
    held += Number(low <= truth && truth <= high);
    broken += Number(!(low < high));
  }
  return { held: held / drawn, drawn, broken };
}

const TASKS = [2, 3, 5, 8, 12, 20, 40];
const SIZES = [1, 2, 4, 8, 0];

/** Tasks and the sizes of clusters (0: of 2 to 8 each) of which they make two or more. */
const inClusters = (
  of: string,
  make: (tasks: number, size: number) => readonly Omit<Design, 'of' | 'tasks'>[],
): Design[] =>
  TASKS.flatMap((tasks) =>
    SIZES.filter((size) => tasks >= 2 * (size || 4)).flatMap((size) =>
      make(tasks, size).map(({ name, draw }) => ({
        of: size === 1 ? of : `${of}, clusters`,
        tasks,
        name: `${name} in clusters of ${size || 'mixed'}`,
        draw,
      })),
    ),
  );

const shares = inClusters('one yes or no a task', (tasks, size) => [
  {
    name: 'shares',
    draw: (random) => {
      const [truth, rho] = [random(), random()];
      if (size === 1) return { ...shareEstimate(hits(random, tasks, truth), tasks)!, truth };
      const figures = clustered(tasks, size, random, () => {
        const p = chance(random, truth, rho);
        return () => ({ value: Number(random() < p) });
      });
      return { ...figuresEstimate(figures)!, truth };
    },
  },
]);

/** pass@k of tasks whose chances have the beta distribution: 1 - E[(1 - chance)^k]. */
function passTruth(p: number, rho: number, k: number): number {
  const [a, b] = [p * (1 / rho - 1), (1 - p) * (1 / rho - 1)];
  return 1 - times(k, (at) => (b + at) / (a + b + at)).reduce((product, factor) => product * factor, 1);
}
/** A correlation by which chances can be drawn: neither 0 nor 1. */
const correlation = (random: Random) => 0.02 + 0.96 * random();

const passes = TASKS.flatMap((tasks) =>
  [4, 16].flatMap((scored) =>
    [1, 2, 4].map(
      (k): Design => ({
        of: 'pass@k of several samples a task',
        tasks,
        name: `k ${k} of ${scored} samples`,
        draw: (random) => {
          const [p, rho] = [random(), correlation(random)];
          const of = times(tasks, () => ({ scored, right: hits(random, scored, chance(random, p, rho)) }));
          const ks = times(k, (at) => at + 1);
          return { ...passEstimates(of, ks).get(k)!, truth: passTruth(p, rho, k) };
        },
      }),
    ),
  ),
);

const firstHits = TASKS.flatMap((tasks) =>
  [1, 4].map(
    (k): Design => ({
      of: 'pass@k where rollouts end when right',
      tasks,
      name: `k ${k}`,
      draw: (random) => {
        const [p, rho] = [random(), correlation(random)];
        const series = times(tasks, () => {
          const own = chance(random, p, rho);
          const most = 4 + Math.floor(random() * 5);
          const hit = times(most, (at) => at + 1).find(() => random() < own);
          return { tries: hit ?? most, hit };
        });
        return { ...firstHitEstimates(series)(k)!, truth: passTruth(p, rho, k) };
      },
    }),
  ),
);

const means = inClusters('mean of amounts', (tasks, size) =>
  Object.entries(amounts).map(([name, [amountOf, truth]]) => ({
    name,
    draw: (random) => {
      const rho = size === 1 ? 0 : random();
      const of = clustered(tasks, size, random, () => {
        const z = Math.sqrt(rho) * normal(random);
        return () => ({ amount: amountOf(random, z + Math.sqrt(1 - rho) * normal(random)), count: 1 });
      });
      return { ...ratioEstimate(of)!, truth };
    },
  })),
);

const ratios = TASKS.flatMap((tasks) =>
  [1, 4].map(
    (samples): Design => ({
      of: 'amount a right sample',
      tasks,
      name: `${samples} samples`,
      draw: (random) => {
        const p = 0.2 + 0.8 * random();
        // A wrong sample takes so many times what a right one takes.
        const wrong = 1 + 1.5 * random();
        const of = times(tasks, () => {
          const own = chance(random, p, 0.3);
          const results = times(samples, () => Number(random() < own));
          const took = results.map((right) => (right ? 1 : wrong) * Math.exp(0.5 * normal(random)));
          return { amount: sum(took), count: sum(results) };
        });
        const estimate = ratioEstimate(of);
        return estimate && { ...estimate, truth: (Math.exp(0.125) * (p + (1 - p) * wrong)) / p };
      },
    }),
  ),
);

const differences = inClusters('difference of two players', (tasks, size) =>
  [1, 4].map((samples) => ({
    name: `${samples} samples`,
    draw: (random) => {
      const [a, b] = [random(), random()];
      // Half of the pairs are near each other, as a player and its next version are.
      const by = random() < 0.5 ? a - b : Math.min(1 - b, Math.max(-b, 0.6 * (a - 0.5)));
      return { ...drawnPairs(random, { tasks, size, samples, rho: random(), b, by })!, truth: by };
    },
  })),
);

/** Settings of {@link drawnPairs}: player b's chance, and how much higher a's is. */
export interface PairDesign {
  readonly tasks: number;
  readonly size: number;
  readonly samples: number;
  readonly rho: number;
  readonly b: number;
  readonly by: number;
}

/** Two players whose samples have a number in common with those of the cluster and of the task in a share of rho. */
export function drawnPairs(random: Random, { tasks, size, samples, rho, b, by }: PairDesign) {
  const like = (number: number) => (random() < rho ? number : random());
  const pairs = clustered(tasks, size, random, () => {
    const ofCluster = random();
    return () => {
      const ofTask = like(ofCluster);
      const share = (p: number) => sum(times(samples, () => Number(like(ofTask) < p))) / samples;
      return { a: share(b + by), b: share(b) };
    };
  });
  return pairedEstimate(size === 1 ? pairs.map(({ a, b }) => ({ a, b })) : pairs);
}

const forecasts = TASKS.filter((tasks) => tasks >= 12).flatMap((tasks) =>
  [10, 200].flatMap((left): Design[] => [
    {
      of: 'forecast',
      tasks,
      name: `rows of ${left} more`,
      draw: (random) => {
        const p = random();
        const { low, high } = forecastCount(hits(random, tasks, p), tasks, left);
        return { low, high, truth: hits(random, left, p) };
      },
    },
    ...Object.entries(amounts).map(([name, [amountOf]]) => ({
      of: 'forecast',
      tasks,
      name: `sum of ${left} more, ${name}`,
      draw: (random: Random) => {
        const seen = new Moments();
        for (let at = 0; at < tasks; at++) seen.add(amountOf(random, normal(random)));
        const { low, high } = forecastSum([{ seen, left }]);
        return { low, high, truth: sum(times(left, () => amountOf(random, normal(random)))) };
      },
    })),
  ]),
);

/** Every interval that is printed, in every design. */
export const designs: readonly Design[] = [
  ...shares,
  ...passes,
  ...firstHits,
  ...means,
  ...ratios,
  ...differences,
  ...forecasts,
];
