import { z } from 'zod';
import { key, keyOf, plainText, positiveInt, serviceUrl } from '../keyMeaning.ts';
import { modelKey } from '../models.ts';
import { allowedHostSchema } from './allowedHost.ts';

const rolloutKey = keyOf('rollout');

/** Model that summarises pages toward the agents' goal. */
const pageSummaryConfigSchema = z.strictObject({
  model: modelKey('chat', 'rollout')('Model that sums pages up'),
  click_intent: rolloutKey(
    z.boolean().default(false),
    "Whether the model is first asked what the agent wants of the pages, by the agent's thinking",
  ),
});

/** Jina's reader, through which pages are read. */
const jinaConfigSchema = z.strictObject({
  base_url: rolloutKey(
    serviceUrl.default('https://r.jina.ai'),
    'Address of the reader, or of one of your own; which address it is shapes nothing',
    {
      presence: 'reader',
    },
  ),
  api_key_env: key(
    plainText.optional(),
    'Environment variable that holds the key; "" where none is sent; absent: JINA_API_KEY where that is set',
  ),
  headers: rolloutKey(
    z
      .record(
        plainText.regex(/^x-[\w-]+$/i, "one of the reader's headers, such as X-Engine"),
        plainText.regex(/^[\x20-\x7e]*$/, 'a text that a header can carry'),
      )
      .default({}),
    "Further headers of requests, such as {X-Engine: browser}; the reader's docs name them",
  ),
});
export type JinaConfig = z.infer<typeof jinaConfigSchema>;

/** The `tools.crawl_page` section: pages as text. */
export const crawlPageConfigSchema = z
  .strictObject({
    max_chars: rolloutKey(
      positiveInt.default(8_000),
      "Most characters of one page's text or summary that the agent is shown",
    ),
    max_tokens: rolloutKey(
      positiveInt.default(80_000),
      "Maximum tokens (of Qwen2.5) that are read of one page's text, by the model of summary too",
    ),
    robots: rolloutKey(z.enum(['obey', 'ignore']).default('obey'), 'Whether robots.txt of sites is obeyed'),
    user_agent: key(
      plainText
        .regex(/^[\w-]+(?:[ /][\x20-\x7e]*)?$/, 'a name such as "my-crawler/1.0 (+https://example.org/bot)"')
        .max(200)
        .default('coa-distill'),
      'User agent of requests; robots.txt knows it by the part before the slash',
    ),
    allow_hosts: rolloutKey(
      z.array(allowedHostSchema).default([]),
      'Hosts with port, or networks, of this machine or private networks that may be crawled',
    ),
    jina: jinaConfigSchema
      .optional()
      .describe("Jina's reader, which opens pages in a browser; absent: pages are fetched directly"),
    summary: pageSummaryConfigSchema
      .optional()
      .describe('Model that sums pages up; absent: their text is shown'),
  })
  .describe('Pages of the web as text');
export type CrawlPageConfig = z.infer<typeof crawlPageConfigSchema>;
