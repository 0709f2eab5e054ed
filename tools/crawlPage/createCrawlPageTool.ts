import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { ParsedToolInput, Tool } from '../../contract/tool.ts';
import { defineTool, type InputRule, parseToolInput } from '../parseToolInput.ts';
import type { PageService, ReadPage } from './createPageService.ts';
import { MAX_PAGES, pageUrls } from './pageUrls.ts';

const urlsSchema = z.strictObject({
  urls: z.array(z.string()).min(1, 'is empty').max(MAX_PAGES).describe('http or https URLs of the pages'),
});

const urlsInput: InputRule<z.infer<typeof urlsSchema>> = {
  schema: urlsSchema,
  example: `{"urls": ["https://..."]}, 1 to ${MAX_PAGES} of them`,
};

/**
 * The `crawl_page` tool: shows the readable text of pages, or what a model makes of them. A page that can't be had is
 * said so in its place; a server of our own that can't be reached and a model that fails are a `RecordFailure`.
 */
export function createCrawlPageTool(service: PageService): Tool {
  return {
    name: 'crawl_page',
    definition: defineTool('crawl_page', 'Opens web pages and shows their text.', urlsSchema),
    dependsOnGoal: service.dependsOnGoal,
    parseInput,
    call: async (input, signal, work, goal) => {
      const { urls } = input as z.infer<typeof urlsSchema>;
      const pages = await service.read(urls, signal, goal, work);
      return { observation: crawlObservation(pages), raw: pages.map(rawOf) };
    },
  };
}

/** A page as it came: its own text, whatever was shown of it. */
function rawOf(page: ReadPage): JsonObject {
  if (!page.ok) return { ...page };
  const { page_text, ...rest } = page;
  return { ...rest, text: page_text };
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

/** A page as an agent is shown it, or why it can't be. */
type ShownPage =
  | { readonly url: string; readonly ok: true; readonly text: string }
  | { readonly url: string; readonly ok: false; readonly reason: string };

/** What the agent is shown of the pages, in the order of the URLs (AFM's layout). */
export function crawlObservation(pages: readonly ShownPage[]): string {
  return pages
    .map((page, index) => {
      const name = `Page ${index + 1} [${page.url}]`;
      return page.ok
        ? `${name} Summary:\n${page.text}`
        : `${name}: [Page content not accessible: ${page.reason}]`;
    })
    .join('\n\n');
}
