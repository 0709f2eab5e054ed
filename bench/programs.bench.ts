/**
 * What running programs takes of the main thread, by how much memory this process holds: with the sandbox within this
 * process and with it in a process of its own, as runs have it. The two take turns, a batch each. A main thread that
 * starts programs answers no model call meanwhile.
 *
 * Goals: less than 0.5 ms of the main thread's CPU time a program in a process of its own, whatever is held, and 100
 * programs a second on two quiet cores. Run with `make bench`; PROGRAMS_BENCH=60 sets the programs of a batch.
 */
import { enableCompileCache } from 'node:module';
import { availableParallelism, loadavg } from 'node:os';
import type { Sandbox } from '../contract/sandbox.ts';
import { codeConfigSchema } from '../schemas/config/tools/code.ts';
import { createSandbox } from '../tools/sandbox/createSandbox.ts';
import { openSandboxProcess } from '../tools/sandbox/openSandboxProcess.ts';

// As the command line does: the process of its own needs no compiler of TypeScript.
enableCompileCache();

const HELD_MB = [50, 300, 600, 1200];
const ROUNDS = 3;
const PARALLEL = 4;
const MOST_THREAD_MS = 0.5;
const MIN_PER_SECOND = 100;
const OWN_PROCESS = 'in its own process';
const programsPerBatch = Number(process.env.PROGRAMS_BENCH ?? 60);
const program = { code: 'print(input())', stdin: 'ready\n' };
const forever = new AbortController().signal;

const config = codeConfigSchema.parse({ backend: 'bubblewrap', timeout_s: 60, concurrency: PARALLEL });
const ways: Readonly<Record<string, Sandbox>> = {
  'within this process': await createSandbox(config, console.log),
  [OWN_PROCESS]: await openSandboxProcess(config, console.log),
};

console.log(`${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)} at the start`);
const held: Buffer[] = [];
for (const heldMb of HELD_MB) {
  while (rssMb() < heldMb) held.push(Buffer.alloc(8 << 20, held.length));
  const costs = new Map(Object.keys(ways).map((way) => [way, [] as Cost[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [way, sandbox] of Object.entries(ways)) costs.get(way)!.push(await batchIn(sandbox));
  }
  for (const [way, batches] of costs) {
    const [threadMs, wallMs] = [medianOf(batches, 'threadMs'), medianOf(batches, 'wallMs')];
    console.log(
      `${String(heldMb).padStart(5)} MB held, ${way.padEnd(19)}: ${threadMs.toFixed(2).padStart(6)} ms of the main thread a program, ` +
        `${(1000 / wallMs).toFixed(0).padStart(3)} programs/s` +
        (way === OWN_PROCESS
          ? `; ${goal(`${MOST_THREAD_MS} ms`, threadMs < MOST_THREAD_MS)}, ${goal(`${MIN_PER_SECOND}/s`, 1000 / wallMs >= MIN_PER_SECOND)}`
          : ''),
    );
  }
}
for (const sandbox of Object.values(ways)) await sandbox.close();
console.log(
  `load ${loadavg()[0]!.toFixed(1)} at the end, ${held.length * 8} MB of it filled for the measurement`,
);

/** A program's cost: CPU time of this thread, and time by the clock with several at once. */
interface Cost {
  readonly threadMs: number;
  readonly wallMs: number;
}

async function batchIn(sandbox: Sandbox): Promise<Cost> {
  let left = programsPerBatch;
  const work = async () => {
    while (left-- > 0) {
      const { stdout } = await sandbox.run(program, forever);
      if (stdout !== 'ready\n') throw new Error('a program did not run');
    }
  };
  const cpuBefore = process.threadCpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: PARALLEL }, work));
  const { user, system } = process.threadCpuUsage(cpuBefore);
  return {
    threadMs: (user + system) / 1000 / programsPerBatch,
    wallMs: (performance.now() - startedAt) / programsPerBatch,
  };
}

function medianOf(costs: readonly Cost[], key: keyof Cost): number {
  return costs.map((cost) => cost[key]).toSorted((a, b) => a - b)[Math.floor(costs.length / 2)]!;
}

function rssMb(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}

function goal(what: string, isMet: boolean): string {
  return `goal ${what}: ${isMet ? 'met' : 'MISSED'}`;
}
