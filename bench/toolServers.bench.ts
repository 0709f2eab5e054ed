/**
 * 200 clients that ask the tool servers over the bundled atlas without a pause, search, retrieval and crawling each in
 * turn; the servers in a process of their own.
 *
 * Goals: no error, memory flat. BENCH_SECONDS says how long each is asked (default 10). Run with `make bench`.
 */
import { loadavg } from 'node:os';
import { atlasRequests } from './support/atlasRequests.ts';
import { LoadClients, percentile } from './support/httpLoad.ts';
import { startToolServers } from './support/startToolServers.ts';

const clientCount = 200;
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
/** Before figures are taken: connections are made, code is compiled, caches and heaps have their size. */
const warmUpSeconds = Math.min(20, seconds / 2);

for (const name of ['web_search', 'wiki_search', 'crawl_page'] as const) {
  const servers = await startToolServers();
  const next = (n: number) => atlasRequests[name](servers.urls[name], n);
  const clients = new LoadClients(clientCount);
  const warmUp = await clients.load(warmUpSeconds * 1000, next);
  const before = await servers.figures();
  const first = await clients.load(seconds * 500, next);
  const middle = await servers.figures();
  const second = await clients.load(seconds * 500, next);
  const after = await servers.figures();
  await clients.close();
  await servers.close();
  const requests = first.requests + second.requests;
  const errors = warmUp.errors + first.errors + second.errors;
  const latencies = Float64Array.from([...first.latenciesMs, ...second.latenciesMs]).sort();
  const megabytes = (key: 'rssBytes' | 'heapBytes') =>
    [before, middle, after].map((figures) => (figures[key] / 1e6).toFixed(0)).join(' -> ');
  console.log(
    `${name.padEnd(11)}: ${errors} errors in ${requests} requests, ` +
      `${(requests / ((first.tookMs + second.tookMs) / 1000)).toFixed(0)} a second, ` +
      `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms, ` +
      `${((after.cpuMs - before.cpuMs) / requests).toFixed(2)} CPU ms a request, ` +
      `heap ${megabytes('heapBytes')} MB, RSS ${megabytes('rssBytes')} MB, load ${loadavg()[0]!.toFixed(1)}`,
  );
  for (const problem of [...warmUp.problems, ...first.problems, ...second.problems])
    console.log(`  ${problem}`);
}
