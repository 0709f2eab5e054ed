import { z } from 'zod';
import { BUNDLED_TOKENIZER } from '../dataset.ts';
import {
  inputPath,
  key,
  keyOf,
  plainText,
  positive,
  positiveInt,
  serviceUrl,
  wholeNumber,
} from '../keyMeaning.ts';
import { modelKey } from '../models.ts';
import { allowedHostSchema } from './allowedHost.ts';

const rolloutKey = keyOf('rollout');

/** The model that reads pages for the agents, toward what they want to know. */
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
    timeout_s: key(
      positive.default(30),
      'Seconds for one page with its redirects and retries; as long again for reading it',
    ),
    max_bytes: rolloutKey(positiveInt.default(5_000_000), 'Bytes read of one page, packed and unpacked'),
    max_chars: rolloutKey(
      positiveInt.default(8_000),
      "Most characters of one page's text or summary that the agent is shown",
    ),
    max_tokens: rolloutKey(
      positiveInt.default(80_000),
      "Tokens that are read of one page's text, by the model of summary too",
    ),
    tokenizer: rolloutKey(
      inputPath.default(BUNDLED_TOKENIZER),
      'Tokenizer that max_tokens is counted by: qwen2.5, or the path of a tokenizer.json',
      {
        names: [BUNDLED_TOKENIZER],
      },
    ),
    concurrency: key(positiveInt.default(32), 'Most requests at once to all hosts'),
    per_host: key(positiveInt.default(2), 'Most requests at once to one host'),
    interval_ms: key(wholeNumber.default(200), 'Least milliseconds between two requests to one host'),
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
