/** Draws from the distributions by which simulated results come about. */
import { sum } from '../../base/sum.ts';

/** Numbers from 0 up to 1. */
export type Random = () => number;

/** What is made so many times. */
export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
/** A number of the normal distribution, mean 0 and variance 1. */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A number of the gamma distribution (Marsaglia and Tsang 2000). */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const z = normal(random);
    const v = (1 + z / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < (z * z) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** A chance of mean p; two things of one chance are alike with a correlation of rho. */
export function chance(random: Random, p: number, rho: number): number {
  if (rho === 0) return p;
  if (rho === 1) return Number(random() < p);
  const a = gamma(random, p * (1 / rho - 1));
  return a / (a + gamma(random, (1 - p) * (1 / rho - 1)));
}

/** Hits of so many samples. */
export function hits(random: Random, samples: number, p: number): number {
  return sum(times(samples, () => Number(random() < p)));
}

/** Tasks in clusters of a size (0: of 2 to 8 each) until there are so many. `open` draws what a cluster has in common. */
export function clustered<T extends object>(
  tasks: number,
  size: number,
  random: Random,
  open: () => () => T,
) {
  const all: (T & { readonly cluster: string })[] = [];
  for (let cluster = 0; all.length < tasks; cluster++) {
    const make = open();
    const room = Math.min(size || 2 + Math.floor(random() * 7), tasks - all.length);
    all.push(...times(room, () => ({ ...make(), cluster: String(cluster) })));
  }
  return all;
}

/** A count of the Poisson distribution. */
function poisson(random: Random, mean: number): number {
  let left = random() - Math.exp(-mean);
  let count = 0;
  for (let chanceOf = Math.exp(-mean); left > 0; left -= chanceOf) chanceOf *= mean / ++count;
  return count;
}

/** Amounts by kind, of a task with a number of the normal distribution; and their means. */
export const amounts: Readonly<
  Record<string, readonly [draw: (random: Random, z: number) => number, mean: number]>
> = {
  'lognormal, sigma 0.5': [(_, z) => Math.exp(0.5 * z), Math.exp(0.125)],
  'lognormal, sigma 1': [(_, z) => Math.exp(z), Math.exp(0.5)],
  exponential: [(random, z) => Math.exp(0.3 * z) * gamma(random, 1), Math.exp(0.045)],
  'gamma, shape 4': [(random, z) => Math.exp(0.3 * z) * gamma(random, 4), 4 * Math.exp(0.045)],
  'counts of mean 3': [(random, z) => poisson(random, 3 * Math.exp(0.3 * z)), 3 * Math.exp(0.045)],
  'half of them 0': [(random, z) => (random() < 0.5 ? 0 : Math.exp(0.5 * z)), 0.5 * Math.exp(0.125)],
};
