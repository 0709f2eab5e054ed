/**
 * How long `coa-distill --help` takes beside `node -e 0`, as whole processes in turn.
 *
 * Goal: under 150 ms. Run with `make bench`.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Bench } from 'tinybench';

const launcher = fileURLToPath(new URL('../bin/coa-distill.js', import.meta.url));
const start = (...args: string[]) => execFileSync(process.execPath, args, { stdio: 'ignore' });

const bench = new Bench({ iterations: 30, time: 0, warmupIterations: 3, warmupTime: 0 });
bench.add('node -e 0', () => start('-e', '0')).add('coa-distill --help', () => start(launcher, '--help'));
await bench.run();
console.table(bench.table());

const [floorMs, helpMs] = bench.tasks.map((task) =>
  task.result && 'latency' in task.result ? task.result.latency.p50 : Number.NaN,
);
console.log(
  `median: node -e 0 ${floorMs?.toFixed(0)} ms, --help ${helpMs?.toFixed(0)} ms, ratio ${((helpMs ?? Number.NaN) / (floorMs ?? Number.NaN)).toFixed(2)}`,
);
