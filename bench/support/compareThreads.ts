import { enableCompileCache } from 'node:module';
import { threadLimit } from '../../base/threads/threadMessages.ts';

const mostRounds = 3;
const cores = 2;
/** How many times as fast two threads on two cores should be. */
const goal = 1.7;

/** What one round took. */
interface Round {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Of them, on the thread that reads and writes. */
  readonly ownCpuSeconds: number;
}

/**
 * Does the same work with one thread and with two, in turn, and prints speeds, the ratio and whether the goal is met.
 * Where others use the machine, only what is worked out from CPU seconds says something: two cores need half of all of
 * them, or those of the busiest thread.
 *
 * @param megabytes what the work goes through
 * @param rounds how often each way; fewer for what takes long
 * @param waits whether one thread of ours waits while native code works on others, so that their seconds add up
 */
export async function compareThreads(
  name: string,
  megabytes: number,
  work: () => Promise<void>,
  { rounds = mostRounds, waits = false } = {},
): Promise<void> {
  // As the command line does: a thread finds its modules compiled.
  enableCompileCache();
  const before = threadLimit.threads;
  const [ones, twos]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ones.push(await timed(1, work));
    twos.push(await timed(2, work));
  }
  threadLimit.threads = before;
  const [one, two] = [best(ones), best(twos)];
  console.log(`${name}, 1 thread: ${told(one, megabytes)}`);
  console.log(`${name}, 2 threads: ${told(two, megabytes)}`);
  const measured = median(twos.map(({ seconds }, at) => ones[at]!.seconds / seconds));
  const alone = waits ? one.cpuSeconds : one.ownCpuSeconds;
  const computed = alone / Math.max(two.ownCpuSeconds, two.cpuSeconds / cores);
  console.log(
    `${name}: ${measured.toFixed(2)} times as fast by the clock, ${computed.toFixed(2)} by CPU seconds; ` +
      `goal ${goal} on two quiet cores: ${Math.max(measured, computed) >= goal ? 'met' : 'not met'}`,
  );
}

async function timed(threads: number, work: () => Promise<void>): Promise<Round> {
  threadLimit.threads = threads;
  const [start, cpu, own] = [performance.now(), process.cpuUsage(), process.threadCpuUsage()];
  await work();
  const seconds = (performance.now() - start) / 1e3;
  return {
    seconds,
    cpuSeconds: sum(process.cpuUsage(cpu)),
    ownCpuSeconds: sum(process.threadCpuUsage(own)),
  };
}

function told({ seconds, cpuSeconds, ownCpuSeconds }: Round, megabytes: number): string {
  return (
    `${(megabytes / seconds).toFixed(1)} MB/s, ${(megabytes / cpuSeconds).toFixed(1)} MB a CPU second ` +
    `(${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} CPU s, ${ownCpuSeconds.toFixed(1)} of them on the main thread)`
  );
}

function sum({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1e6;
}

/** The round that others disturbed least. */
function best(all: readonly Round[]): Round {
  return all.reduce((least, round) => (round.cpuSeconds < least.cpuSeconds ? round : least));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
