import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { ParsedToolInput, Tool } from '../../contract/tool.ts';
import { defineTool, type InputRule, parseToolInput } from '../parseToolInput.ts';
import type { PageService, ReadPage } from './createPageService.ts';

/** Maximum pages per call; all are fetched at once. */
const MAX_PAGES = 10;

const urlsSchema = z.strictObject({
  urls: z.array(z.string()).min(1, 'is empty').max(MAX_PAGES).describe('http or https URLs of the pages'),
});

const urlsInput: InputRule<z.infer<typeof urlsSchema>> = {
  schema: urlsSchema,
  example: `{"urls": ["https://..."]}, 1 to ${MAX_PAGES} of them`,
};

/**
 * The `crawl_page` tool: shows the readable text of pages or a summary. An unavailable page is reported in its place;
 * our own unreachable server and a failing model are a `RecordFailure`.
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

/** A page's own text, whatever was shown of it. */
function rawOf(page: ReadPage): JsonObject {
  if (!page.ok) return { ...page };
  const { page_text, ...rest } = page;
  return { ...rest, text: page_text };
}

/** Returns plain URLs, as in a trajectory. */
function parseInput(input: unknown): ParsedToolInput {
  const parsed = parseToolInput(urlsInput, input);
  if (!parsed.ok) return parsed;
  const found = pageUrls(parsed.input.urls as string[]);
  return found.ok
    ? { ok: true, input: { urls: found.urls } }
    : { ok: false, error: `urls: ${found.error}. Expected ${urlsInput.example}` };
}

/** A page as shown to an agent, or the reason for none. */
type ShownPage =
  | { readonly url: string; readonly ok: true; readonly text: string }
  | { readonly url: string; readonly ok: false; readonly reason: string };

/** Observation of pages in the order of the URLs (AFM's layout). */
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

/** URLs to fetch and show, or the problem with one. */
type PageUrls =
  | { readonly ok: true; readonly urls: readonly string[] }
  | { readonly ok: false; readonly error: string };

/** URLs written by a model: plain, as markdown links, or several joined by `|` (as in a `<crawl_page>` block). */
export function pageUrls(written: readonly string[]): PageUrls {
  const urls = written
    .flatMap((text) => text.split('|'))
    .map((text) => text.trim())
    .map(linkTarget)
    .filter((text) => text !== '');
  if (urls.length === 0) return { ok: false, error: 'No valid URL found' };
  if (urls.length > MAX_PAGES) return { ok: false, error: `${urls.length} URLs are too many` };
  const problem = urls.map(urlProblem).find((found) => found !== undefined);
  return problem === undefined ? { ok: true, urls } : { ok: false, error: problem };
}

/** Target of a Markdown link, whatever brackets its text contains; other text unchanged. */
function linkTarget(text: string): string {
  const at = text.lastIndexOf('](');
  const isLink = at > 0 && text.startsWith('[') && text.endsWith(')') && at + 3 < text.length;
  return isLink ? text.slice(at + 2, -1) : text;
}

function urlProblem(text: string): string | undefined {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (!url) return `"${text}" is not a URL`;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `"${text}" is not an http or https URL`;
  // The profile's grammar requires the slashes, which URL parsers do not.
  if (!/^https?:\/\//.test(text)) return `"${text}" does not begin with http:// or https://`;
  if (url.username || url.password) return `"${text}" holds a user name or password`;
  return undefined;
}
