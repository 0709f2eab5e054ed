import { z } from 'zod';
import { configPathSchema } from '../paths.ts';
import { allowedHostSchema } from './allowedHost.ts';
import { toolModelConfigSchema } from './toolModel.ts';

/** Pages that are kept in memory, for servers and for agents that open a page twice. */
const pageCacheConfigSchema = z.strictObject({
  max_age_s: z.number().nonnegative().default(10_800).describe('0 keeps none'),
  max_pages: z.int().positive().default(10_000),
  max_bytes: z.int().positive().default(268_435_456).describe('Of all texts together'),
});

/** The model that reads pages for the agents, toward what they want to know. */
const pageSummaryConfigSchema = toolModelConfigSchema.extend({
  click_intent: z
    .boolean()
    .default(false)
    .describe("First asks the model what the agent wants of the pages, from the agent's thinking"),
});

/** The `tools.crawl_page` section: pages as text. */
export const crawlPageConfigSchema = z.strictObject({
  timeout_s: z
    .number()
    .positive()
    .default(30)
    .describe('One page with its redirects and retries; as long again for reading it'),
  idle_timeout_s: z.number().positive().default(15).describe('Longest wait for a server to send more'),
  max_bytes: z.int().positive().default(5_000_000).describe('Read of one page, packed and unpacked'),
  max_chars: z.int().positive().default(8_000).describe("Shown of one page's text or summary"),
  max_tokens: z.int().positive().default(80_000).describe("Read of one page's text, by the model too"),
  tokenizer: configPathSchema
    .default('qwen2.5')
    .describe('Counts max_tokens: qwen2.5, or the path of a tokenizer.json'),
  max_pdf_pages: z.int().positive().default(100).describe('Read of one PDF'),
  max_redirects: z.int().nonnegative().default(5),
  max_retries: z
    .int()
    .nonnegative()
    .default(2)
    .describe('For 429, 502, 503, 504 and broken connections; waits are 5 s at most'),
  concurrency: z.int().positive().default(32).describe('Requests at once to all hosts'),
  per_host: z.int().positive().default(2).describe('Requests at once to one host'),
  interval_ms: z.int().nonnegative().default(200).describe('Least time between two requests to one host'),
  robots: z.enum(['obey', 'ignore']).default('obey').describe("Whether sites' robots.txt is heeded"),
  user_agent: z
    .string()
    .regex(/^[\w-]+(?:[ /][\x20-\x7e]*)?$/, 'a name such as "my-crawler/1.0 (+https://example.org/bot)"')
    .max(200)
    .default('coa-distill')
    .describe('What requests call themselves; robots.txt knows it by the part before the slash'),
  allow_hosts: z
    .array(allowedHostSchema)
    .default([])
    .describe('Hosts with port, or networks, of this machine or private networks that may be crawled'),
  cache: pageCacheConfigSchema.prefault({}).describe('Pages kept in memory'),
  summary: pageSummaryConfigSchema
    .optional()
    .describe('Model that sums pages up; without it their text is shown'),
});
/** See {@link crawlPageConfigSchema}. */
export type CrawlPageConfig = z.infer<typeof crawlPageConfigSchema>;
