import { z } from 'zod';
import { timerSecondsSchema } from '../timerSeconds.ts';
import { type ServedToolName, servedToolNames, toolSections } from './toolSections.ts';

const ports = Object.fromEntries(
  servedToolNames.map((name) => [name, z.int().min(0).max(65_535).default(toolSections[name].port)]),
) as Record<ServedToolName, z.ZodDefault<z.ZodInt>>;

/** The `tools.serve` section: tools as HTTP servers. It shapes no run. */
export const serveConfigSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen at; 0.0.0.0 is every network'),
  ports: z.strictObject(ports).prefault({}).describe('0 takes a free one'),
  api_key_env: z
    .string()
    .default('')
    .describe('Environment variable whose key clients must send; "" lets everybody in'),
  concurrency: z.int().positive().default(256).describe('Requests a server works on at once; more get 503'),
  max_body_bytes: z.int().positive().default(1_000_000).describe('Of one request'),
  max_urls: z.int().positive().max(100).default(10).describe('Pages of one crawl'),
  max_queries: z.int().positive().default(100).describe('Queries of one retrieval'),
  max_results: z.int().positive().max(100).default(100).describe('Results of one search or retrieval query'),
  timeout_s: timerSecondsSchema.positive().default(300).describe('For one answer; then 504'),
  receive_timeout_s: timerSecondsSchema
    .positive()
    .default(15)
    .describe('For a client to send its request; then 408'),
  drain_s: timerSecondsSchema
    .nonnegative()
    .default(10)
    .describe('For requests in flight when the servers are stopped'),
  search_cache: z
    .strictObject({
      max_age_s: z.number().nonnegative().default(10_800).describe('0 keeps nothing'),
      max_searches: z.int().positive().default(10_000),
      max_bytes: z.int().nonnegative().default(200_000_000).describe('Of all searches with their results'),
    })
    .prefault({})
    .describe('Results that the search server keeps in memory; pages are kept by tools.crawl_page.cache'),
  log: z
    .enum(['requests', 'failures'])
    .default('requests')
    .describe('requests: a line a request on standard error; failures: only of those answered 500 and up'),
});
/** See {@link serveConfigSchema}. */
export type ServeConfig = z.infer<typeof serveConfigSchema>;
