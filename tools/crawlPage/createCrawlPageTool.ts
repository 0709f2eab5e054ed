import { z } from 'zod';
import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { ParsedToolInput, Tool } from '../../pipeline/contract/tool.ts';
import { createGuardedDispatcher, type HostOverride } from '../fetch/createGuardedDispatcher.ts';
import { type FetchedPage, type FetchLimits, fetchPage } from '../fetch/fetchPage.ts';
import { defineTool } from '../input/defineTool.ts';
import { type InputRule, parseToolInput } from '../input/parseToolInput.ts';
import { crawlObservation } from './crawlObservation.ts';
import { createPageReader } from './createPageReader.ts';
import { pageText } from './pageText.ts';
import { MAX_PAGES, pageUrls } from './pageUrls.ts';

const urlsSchema = z.strictObject({
  urls: z.array(z.string()).min(1, 'is empty').max(MAX_PAGES).describe('http or https URLs of the pages'),
});

const urlsInput: InputRule<z.infer<typeof urlsSchema>> = {
  schema: urlsSchema,
  example: `{"urls": ["https://..."]}, 1 to ${MAX_PAGES} of them`,
};

/** What {@link createCrawlPageTool} fetches and shows. */
export interface CrawlOptions extends FetchLimits {
  /** Shown of one page's text. */
  readonly maxChars: number;
  /** Hosts whose pages our own server on the loopback has. URLs keep the public name. */
  readonly hostOverrides: ReadonlyMap<string, HostOverride>;
}

/**
 * The `crawl_page` tool: shows the readable text of pages. A page that can't be had is said so in its place; a
 * server of our own that can't be reached is a `RecordFailure` (`tool_unavailable`).
 */
export function createCrawlPageTool({ maxChars, hostOverrides, ...limits }: CrawlOptions): Tool {
  const dispatcher = createGuardedDispatcher(hostOverrides);
  const reader = createPageReader(limits.timeoutMs);
  return {
    name: 'crawl_page',
    definition: defineTool('crawl_page', 'Opens web pages and shows their text.', urlsSchema),
    parseInput,
    call: async (input, signal) => {
      const { urls } = input as z.infer<typeof urlsSchema>;
      const fetched = await Promise.all(urls.map((url) => fetchPage(url, limits, dispatcher, signal)));
      for (const page of fetched) throwOwnFailure(page, hostOverrides);
      const texts = await Promise.all(fetched.map((page) => pageText(page, maxChars, reader)));
      const pages = urls.map((url, index) => ({ url, page: texts[index]! }));
      return { observation: crawlObservation(pages), raw: pages.map(({ url, page }) => ({ url, ...page })) };
    },
  };
}

/** URLs come back plain, as they stand in a trajectory. */
function parseInput(input: unknown): ParsedToolInput {
  const parsed = parseToolInput(urlsInput, input);
  if (!parsed.ok) return parsed;
  const found = pageUrls(parsed.input.urls as string[]);
  return found.ok
    ? { ok: true, input: { urls: found.urls } }
    : { ok: false, error: `urls: ${found.error}. Expected ${urlsInput.example}` };
}

function throwOwnFailure(page: FetchedPage, hostOverrides: ReadonlyMap<string, HostOverride>): void {
  if (page.kind === 'page' || !page.service || !hostOverrides.has(page.url.hostname)) return;
  const { hostname } = page.url;
  throw new RecordFailure(
    'tool_unavailable',
    `crawl_page: the server of ${hostname} failed: ${page.reason}`,
    { tool: 'crawl_page', host: hostname, reason: page.reason },
  );
}
