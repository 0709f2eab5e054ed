import { z } from 'zod';
import { plainTextSchema, shapesNothing, timerSecondsSchema } from '../keyMeaning.ts';
import { type ServedToolName, servedToolNames, toolFacts } from './toolFacts.ts';

const portSchema = (tool: ServedToolName) =>
  z
    .int()
    .min(0)
    .max(65_535)
    .default(toolFacts[tool].port)
    .meta(shapesNothing(`Port of ${tool}; 0 takes a free one`));

const ports = Object.fromEntries(servedToolNames.map((name) => [name, portSchema(name)])) as Record<
  ServedToolName,
  z.ZodDefault<z.ZodInt>
>;

/** How long a server of ours waits, for its clients and for its own work. */
export function serverTimes(receiveSeconds: number) {
  return {
    timeout_s: timerSecondsSchema
      .positive()
      .default(300)
      .meta(shapesNothing('Seconds that one answer may take; then 504')),
    receive_timeout_s: timerSecondsSchema
      .positive()
      .default(receiveSeconds)
      .meta(shapesNothing('Seconds that a client may take to send its request; then 408')),
    drain_s: timerSecondsSchema
      .nonnegative()
      .default(10)
      .meta(shapesNothing('Seconds for requests in flight when the server is stopped')),
  };
}

/** Which requests a server of ours prints. */
export function requestLog(unlessSaid: 'requests' | 'failures') {
  return z
    .enum(['requests', 'failures'])
    .default(unlessSaid)
    .meta(
      shapesNothing(
        'requests: a line a request on standard error; failures: only of those answered 500 and up',
      ),
    );
}

/** The `tools.serve` section: tools as HTTP servers. It shapes no run. */
export const serveConfigSchema = z.strictObject({
  host: plainTextSchema
    .min(1)
    .default('127.0.0.1')
    .meta(shapesNothing('Address to listen at; 0.0.0.0: on every network')),
  ports: z.strictObject(ports).prefault({}).describe('Ports of the servers'),
  api_key_env: plainTextSchema
    .default('')
    .meta(shapesNothing('Environment variable whose key clients must send; "" lets everybody in')),
  concurrency: z
    .int()
    .positive()
    .default(256)
    .meta(shapesNothing('Requests that a server works on at once; more get 503')),
  max_body_bytes: z.int().positive().default(1_000_000).meta(shapesNothing('Largest request, in bytes')),
  max_urls: z.int().positive().max(100).default(10).meta(shapesNothing('Most pages of one crawl')),
  max_queries: z.int().positive().default(100).meta(shapesNothing('Most queries of one retrieval')),
  max_results: z
    .int()
    .positive()
    .max(100)
    .default(100)
    .meta(shapesNothing('Most results of one search or retrieval query')),
  ...serverTimes(15),
  search_cache: z
    .strictObject({
      max_age_s: z
        .number()
        .nonnegative()
        .default(10_800)
        .meta(shapesNothing('Seconds that results are kept; 0 keeps nothing')),
      max_searches: z.int().positive().default(10_000).meta(shapesNothing('Most searches that are kept')),
      max_bytes: z
        .int()
        .nonnegative()
        .default(200_000_000)
        .meta(shapesNothing('Most bytes of all kept searches with their results')),
    })
    .prefault({})
    .describe('Results that the search server keeps in memory; tools.crawl_page.cache keeps pages'),
  log: requestLog('requests'),
});
export type ServeConfig = z.infer<typeof serveConfigSchema>;
