import { z } from 'zod';
import { key, plainText, positiveInt, timerSeconds, wholeNumber } from '../keyMeaning.ts';
import { type ServedToolName, servedToolNames, toolFacts } from './toolFacts.ts';

const portSchema = (tool: ServedToolName) =>
  key(z.int().min(0).max(65_535).default(toolFacts[tool].port), `Port of ${tool}; 0 takes a free one`);

const ports = Object.fromEntries(servedToolNames.map((name) => [name, portSchema(name)])) as Record<
  ServedToolName,
  z.ZodDefault<z.ZodInt>
>;

/** How long a server of ours waits, for its clients and for its own work. */
export function serverTimes(receiveSeconds: number) {
  return {
    timeout_s: key(timerSeconds.positive().default(300), 'Seconds that one answer may take; then 504'),
    receive_timeout_s: key(
      timerSeconds.positive().default(receiveSeconds),
      'Seconds that a client may take to send its request; then 408',
    ),
    drain_s: key(
      timerSeconds.nonnegative().default(10),
      "Seconds for requests in flight at the server's stop",
    ),
  };
}

/** Which requests a server of ours prints. */
export function requestLog(unlessSaid: 'requests' | 'failures') {
  return key(
    z.enum(['requests', 'failures']).default(unlessSaid),
    'requests: a line a request on standard error; failures: only of those answered 500 and up',
  );
}

/** The `tools.serve` section: tools as HTTP servers. It shapes no run. */
export const serveConfigSchema = z.strictObject({
  host: key(plainText.min(1).default('127.0.0.1'), 'Address to listen at; 0.0.0.0: on every network'),
  ports: z.strictObject(ports).prefault({}).describe('Ports of the servers'),
  api_key_env: key(plainText.default(''), 'Environment variable of the key of clients; "" lets everybody in'),
  concurrency: key(positiveInt.default(256), 'Requests that a server works on at once; more get 503'),
  max_body_bytes: key(positiveInt.default(1_000_000), 'Largest request, in bytes'),
  max_urls: key(positiveInt.max(100).default(10), 'Most pages of one crawl'),
  max_queries: key(positiveInt.default(100), 'Most queries of one retrieval'),
  max_results: key(positiveInt.max(100).default(100), 'Most results of one search or retrieval query'),
  ...serverTimes(15),
  search_cache: z
    .strictObject({
      max_age_s: key(z.number().nonnegative().default(10_800), 'Seconds results are kept; 0 keeps none'),
      max_searches: key(positiveInt.default(10_000), 'Most searches that are kept'),
      max_bytes: key(wholeNumber.default(200_000_000), 'Most bytes of all kept searches with their results'),
    })
    .prefault({})
    .describe('Results that the search server keeps in memory; tools.crawl_page.cache keeps pages'),
  log: requestLog('requests'),
});
export type ServeConfig = z.infer<typeof serveConfigSchema>;
