/** How often the intervals that we print hold the truth: ways in which results come about, drawn again and again. */
import { type Estimate, figuresEstimate, shareEstimate } from '../../base/statistics/estimates.ts';
import { firstHitEstimates } from '../../base/statistics/firstHits.ts';
import { pairedEstimate } from '../../base/statistics/pairedEstimate.ts';
import { passEstimates } from '../../base/statistics/passAtK.ts';
import { ratioEstimate } from '../../base/statistics/ratioEstimate.ts';
import { sum } from '../../base/sum.ts';
import { forecastCount, forecastSum, Moments } from '../../operations/forecast/interval.ts';
import { mulberry32 } from '../../test/support/mulberry32.ts';
import { amounts, chance, clustered, hits, normal, type Random, times } from './draws.ts';

type Interval = Pick<Estimate, 'low' | 'high'>;

/** A way in which results come about. */
export interface Design {
  /** Of which interval. */
  readonly of: string;
  readonly name: string;
  readonly tasks: number;
  /** The interval of a draw and the truth; undefined where nothing is printed. */
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
const SHARES = [0.05, 0.2, 0.5, 0.8, 0.95];
const inAllTasks = (of: string, make: (tasks: number) => readonly Omit<Design, 'of' | 'tasks'>[]): Design[] =>
  TASKS.flatMap((tasks) => make(tasks).map((design) => ({ of, tasks, ...design })));

const sharesOfOne = inAllTasks('one yes or no a task', (tasks) =>
  SHARES.map((truth) => ({
    name: `p ${truth}`,
    draw: (random) => ({ ...shareEstimate(hits(random, tasks, truth), tasks)!, truth }),
  })),
);

const sharesOfClusters = inAllTasks('one yes or no a task, clusters', (tasks) =>
  [2, 4, 8, 0]
    .filter((size) => size * 2 <= tasks)
    .flatMap((size) =>
      [0, 0.2, 0.6, 1].flatMap((rho) =>
        SHARES.map((truth) => ({
          name: `of ${size || 'mixed'}, rho ${rho}, p ${truth}`,
          draw: (random: Random) => {
            const figures = clustered(tasks, size, random, () => {
              const p = chance(random, truth, rho);
              return () => ({ value: Number(random() < p) });
            });
            return { ...figuresEstimate(figures)!, truth };
          },
        })),
      ),
    ),
);

/** pass@k of tasks whose chances have the beta distribution: 1 - E[(1 - chance)^k]. */
function passTruth(p: number, rho: number, k: number): number {
  const [a, b] = [p * (1 / rho - 1), (1 - p) * (1 / rho - 1)];
  return 1 - times(k, (at) => (b + at) / (a + b + at)).reduce((product, factor) => product * factor, 1);
}

const passes = inAllTasks('pass@k of several samples a task', (tasks) =>
  [4, 16].flatMap((scored) =>
    [0.1, 0.5, 0.9].flatMap((rho) =>
      [0.05, 0.2, 0.5, 0.8].flatMap((p) =>
        [1, 2, 4].map((k) => ({
          name: `${scored} samples, k ${k}, rho ${rho}, p ${p}`,
          draw: (random: Random) => {
            const of = times(tasks, () => ({ scored, right: hits(random, scored, chance(random, p, rho)) }));
            return {
              ...passEstimates(
                of,
                times(k, (at) => at + 1),
              ).get(k)!,
              truth: passTruth(p, rho, k),
            };
          },
        })),
      ),
    ),
  ),
);

const firstHits = inAllTasks('pass@k where rollouts end when right', (tasks) =>
  [0.2, 0.5].flatMap((rho) =>
    [0.2, 0.5].flatMap((p) =>
      [1, 4].map((k) => ({
        name: `k ${k}, rho ${rho}, p ${p}`,
        draw: (random: Random) => {
          const series = times(tasks, () => {
            const own = chance(random, p, rho);
            const most = 4 + Math.floor(random() * 5);
            const hit = times(most, (at) => at + 1).find(() => random() < own);
            return { tries: hit ?? most, hit };
          });
          return { ...firstHitEstimates(series)(k)!, truth: passTruth(p, rho, k) };
        },
      })),
    ),
  ),
);

const means = inAllTasks('mean of amounts', (tasks) =>
  [1, 4, 0]
    .flatMap((size) =>
      (size === 1 ? [0] : [0.2, 0.8]).flatMap((rho) =>
        Object.entries(amounts).map(([name, [amountOf, truth]]) => ({
          name: `${name}, clusters of ${size || 'mixed'}, rho ${rho}`,
          draw: (random: Random) => {
            const of = clustered(tasks, size, random, () => {
              const z = Math.sqrt(rho) * normal(random);
              return () => ({ amount: amountOf(random, z + Math.sqrt(1 - rho) * normal(random)), count: 1 });
            });
            return { ...ratioEstimate(of)!, truth };
          },
        })),
      ),
    )
    .filter(({ name }) => tasks >= 8 || name.includes('clusters of 1')),
);

const ratios = inAllTasks('amount a right sample', (tasks) =>
  [1, 4].flatMap((samples) =>
    [0.3, 0.6, 0.9].flatMap((p) =>
      // A wrong sample takes so many times what a right one takes.
      [1, 2.5].map((wrong) => ({
        name: `${samples} samples, p ${p}, wrong x ${wrong}`,
        draw: (random: Random) => {
          const of = times(tasks, () => {
            const own = chance(random, p, 0.3);
            const results = times(samples, () => Number(random() < own));
            const took = results.map((right) => (right ? 1 : wrong) * Math.exp(0.5 * normal(random)));
            return { amount: sum(took), count: sum(results) };
          });
          const estimate = ratioEstimate(of);
          return estimate && { ...estimate, truth: (Math.exp(0.125) * (p + (1 - p) * wrong)) / p };
        },
      })),
    ),
  ),
);

const differences = inAllTasks('difference of two players', (tasks) =>
  [1, 2, 4, 8]
    .filter((size) => size * 2 <= tasks)
    .flatMap((size) =>
      [1, 4].flatMap((samples) =>
        [0.1, 0.5, 0.9].flatMap((rho) =>
          [0, -0.1, 0.3].map((by) => ({
            name: `clusters of ${size}, ${samples} samples, rho ${rho}, by ${by}`,
            draw: (random: Random) => ({
              ...drawnPairs(random, { tasks, size, samples, rho, by })!,
              truth: by,
            }),
          })),
        ),
      ),
    ),
);

/** Settings of {@link drawnPairs}. */
export interface PairDesign {
  readonly tasks: number;
  readonly size: number;
  readonly samples: number;
  readonly rho: number;
  readonly by: number;
}

/** Two players whose samples have a number in common with those of the cluster and of the task in a share of rho. */
export function drawnPairs(random: Random, { tasks, size, samples, rho, by }: PairDesign) {
  const like = (number: number) => (random() < rho ? number : random());
  const pairs = clustered(tasks, size, random, () => {
    const ofCluster = random();
    return () => {
      const ofTask = like(ofCluster);
      const share = (p: number) => sum(times(samples, () => Number(like(ofTask) < p))) / samples;
      return { a: share(0.5 + by), b: share(0.5) };
    };
  });
  return pairedEstimate(size === 1 ? pairs.map(({ a, b }) => ({ a, b })) : pairs);
}

const forecasts = inAllTasks('forecast', (tasks) =>
  [10, 200].flatMap((left) => [
    ...[0.1, 0.5, 0.9].map((p) => ({
      name: `rows of ${left} more, p ${p}`,
      draw: (random: Random) => {
        const { low, high } = forecastCount(hits(random, tasks, p), tasks, left);
        return { low, high, truth: hits(random, left, p) };
      },
    })),
    ...Object.entries(amounts).map(([name, [amountOf]]) => ({
      name: `sum of ${left} more, ${name}`,
      draw: (random: Random) => {
        const seen = new Moments();
        for (let at = 0; at < tasks; at++) seen.add(amountOf(random, normal(random)));
        const { low, high } = forecastSum([{ seen, left }]);
        return { low, high, truth: sum(times(left, () => amountOf(random, normal(random)))) };
      },
    })),
  ]),
).filter(({ tasks }) => tasks >= 12);

/** Every interval that is printed, in every design. */
export const designs: readonly Design[] = [
  ...sharesOfOne,
  ...sharesOfClusters,
  ...passes,
  ...firstHits,
  ...means,
  ...ratios,
  ...differences,
  ...forecasts,
];
