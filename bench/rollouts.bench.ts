/**
 * How close model calls come to what the endpoint allows, and what a call costs: the time from the first request in to
 * the last answer out over the ideal, CPU ms a call and peak memory of the client, with everything on that a run has
 * (cache, journal, events, limits, budget, a key to keep out of answers); beside `p-queue` and `openai` as one would write it in 30 lines, and bare `undici`
 * as the floor. All three work on the same tasks, as many at once, with as many calls in flight. The server is a process
 * of its own; its CPU share of the time says that it is not the bottleneck.
 *
 * The ideal is ceil(n / c) * latency, n being calls and c those that may be in flight, which no more than there are
 * tasks can be; for a long-tailed latency the sum of all latencies over c.
 * Goals at a fixed latency: 1.25 of the ideal at 256 and 200 ms, 1.08 at 1,024 and 2 s; 0.7 CPU ms a call; 400 MB. Run
 * with `make bench`; ROLLOUTS_BENCH=64:200 runs one concurrency and latency only.
 */
import { loadavg } from 'node:os';
import { type ChatClientSettings, runChatClient } from './support/runChatClient.ts';
import { startChatServer } from './support/startChatServer.ts';

const ways: readonly ChatClientSettings['way'][] = ['coa-distill', 'openai', 'undici'];
const works = [
  { tasks: 2000, callsPerTask: 1 },
  { tasks: 500, callsPerTask: 8 },
];
const loads = (process.env.ROLLOUTS_BENCH ?? '64:200,256:200,1024:2000').split(',').map((load) => {
  const [concurrency, meanMs] = load.split(':').map(Number);
  return { concurrency: concurrency!, meanMs: meanMs! };
});

/** Most of the ideal time, by concurrency and latency. */
const goals = new Map([
  ['256:200', 1.25],
  ['1024:2000', 1.08],
]);

for (const { concurrency, meanMs } of loads) {
  for (const latency of ['fixed', 'lognormal'] as const) {
    for (const work of works) {
      for (const way of ways) await measure({ way, ...work, concurrency }, { latency, meanMs });
    }
  }
}

async function measure(
  client: Omit<ChatClientSettings, 'baseUrl'>,
  { latency, meanMs }: { readonly latency: 'fixed' | 'lognormal'; readonly meanMs: number },
): Promise<void> {
  const server = await startChatServer({ latency, meanMs });
  const { baseUrl } = server;
  const { right, cpuMs, peakBytes } = await runChatClient({ ...client, baseUrl });
  const seen = await server.figures();
  server.close();
  const { tasks, callsPerTask, concurrency } = client;
  const calls = tasks * callsPerTask;
  const atOnce = Math.min(concurrency, tasks);
  const idealMs = latency === 'fixed' ? Math.ceil(calls / atOnce) * meanMs : seen.workMs / atOnce;
  const tookMs = seen.lastOutMs - seen.firstInMs;
  const ratio = tookMs / idealMs;
  console.log(
    `${tasks} x ${callsPerTask} at ${concurrency}, ${latency} ${meanMs} ms, ${client.way.padEnd(11)}: ` +
      `${ratio.toFixed(3)} of the ideal (${(tookMs / 1000).toFixed(1)} s), ` +
      `${(cpuMs / calls).toFixed(2)} CPU ms a call, ${(peakBytes / 1e6).toFixed(0)} MB, ` +
      `${right === tasks ? 'all right' : `${tasks - right} wrong`}; ` +
      `server ${((100 * seen.cpuMs) / tookMs).toFixed(0)}% busy, load ${loadavg()[0]!.toFixed(1)}`,
  );
  if (client.way !== 'coa-distill') return;
  const mostOfIdeal = latency === 'fixed' ? goals.get(`${concurrency}:${meanMs}`) : undefined;
  if (mostOfIdeal !== undefined) printGoal(`${mostOfIdeal} of the ideal`, ratio <= mostOfIdeal);
  printGoal('0.7 CPU ms a call', cpuMs / calls <= 0.7);
  printGoal('400 MB', peakBytes <= 400e6);
}

function printGoal(goal: string, isMet: boolean): void {
  console.log(`    goal ${goal}: ${isMet ? 'met' : 'MISSED'}`);
}
