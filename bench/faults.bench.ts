/**
 * 2,000 calls at concurrency 64 and 200 ms against an endpoint that answers 429 to one in ten requests, 500 to one in
 * ten, and a 200 that breaks off to one in twenty.
 *
 * Goals: all rows right, at most 1.40 calls a row, at most 1.75 of the ideal time without faults. Run with
 * `make bench`.
 */
import { loadavg } from 'node:os';
import { runChatClient } from './support/runChatClient.ts';
import { startChatServer } from './support/startChatServer.ts';

const tasks = 2000;
const concurrency = 64;
const meanMs = 200;

for (const way of ['coa-distill', 'openai'] as const) {
  const faults = { refused: 0.1, broken: 0.1, malformed: 0.05 };
  const server = await startChatServer({ latency: 'fixed', meanMs, faults });
  const { baseUrl } = server;
  const { right, cpuMs } = await runChatClient({ way, baseUrl, tasks, callsPerTask: 1, concurrency });
  const seen = await server.figures();
  server.close();
  const idealMs = Math.ceil(tasks / concurrency) * meanMs;
  const tookMs = seen.lastOutMs - seen.firstInMs;
  const [callsARow, ratio] = [seen.requests / tasks, tookMs / idealMs];
  console.log(
    `${way.padEnd(11)}: ${right} of ${tasks} rows right, ${callsARow.toFixed(3)} calls a row, ` +
      `${ratio.toFixed(2)} of the ideal (${(tookMs / 1000).toFixed(1)} s), ` +
      `${(cpuMs / seen.requests).toFixed(2)} CPU ms a call, load ${loadavg()[0]!.toFixed(1)}`,
  );
  if (way === 'coa-distill') {
    const isMet = right === tasks && callsARow <= 1.4 && ratio <= 1.75;
    console.log(`    goal all rows right, 1.40 calls a row, 1.75 of the ideal: ${isMet ? 'met' : 'MISSED'}`);
  }
}
