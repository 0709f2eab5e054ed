/**
 * How often the 95% intervals that we print hold the truth, by simulation with fixed seeds, and how often clusters that
 * differ by chance alone have a p value below 0.05: `node bench/intervals.bench.ts [ROUNDS]`, default 2,000. Each line
 * sums up the designs of one number of tasks; `least` is the worst of them.
 */
import { mulberry32 } from '../test/support/mulberry32.ts';
import { coverageOf, designs, drawnPairs } from './support/coverage.ts';

const rounds = Number(process.argv[2] ?? 2_000);
const drawn = designs.map((design) => ({ ...design, ...coverageOf(design, rounds) }));
for (const [of, all] of Map.groupBy(drawn, (design) => design.of)) {
  console.log(of);
  const rows = [...Map.groupBy(all, ({ tasks }) => tasks)].map(([tasks, own]) => {
    const worst = own.reduce((least, one) => (one.held < least.held ? one : least));
    return {
      tasks,
      designs: own.length,
      mean: percent(own.reduce((sum, { held }) => sum + held, 0) / own.length),
      least: percent(worst.held),
      'least in': worst.name,
      most: percent(Math.max(...own.map(({ held }) => held))),
      'below 93%': own.filter(({ held }) => held < 0.93).length,
      'above 97%': own.filter(({ held }) => held > 0.97).length,
      broken: own.reduce((sum, { broken }) => sum + broken, 0),
    };
  });
  console.table(rows);
}

console.log('p below 0.05 of players that are equal');
const random = mulberry32(1);
console.table(
  [5, 12, 40].flatMap((tasks) =>
    [1, 4].flatMap((size) =>
      [1, 4].map((samples) => {
        const ps = Array.from(
          { length: rounds },
          () => drawnPairs(random, { tasks, size, samples, rho: 0.5, b: 0.5, by: 0 })!.p,
        );
        return { tasks, size, samples, alarms: percent(ps.filter((p) => p < 0.05).length / rounds) };
      }),
    ),
  ),
);

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
