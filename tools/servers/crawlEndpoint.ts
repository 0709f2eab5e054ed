import { z } from 'zod';
import { crawlObservation, pageUrls } from '../crawlPage/createCrawlPageTool.ts';
import type { PageService, ReadPage } from '../crawlPage/createPageService.ts';
import type { CrawlGoal } from '../crawlPage/pageSummariser.ts';
import type { ToolEndpoint } from './createToolApp.ts';
import { optionalTextSchema, parseRequest, Refusal } from './refusal.ts';

/** Maximum URLs per request. */
const MAX_URLS = 10;

/** Maximum URL length; above those of browsers and servers. */
const MAX_URL_CHARS = 10_000;

const expected =
  '{"urls": [texts], "task"?: text, "web_search_query"?: text, "think_content"?: text, "summary_prompt_type"?: text}';

const crawlRequestSchema = z.object(
  {
    urls: z.union([z.string().transform((text) => [text]), z.array(z.string())], 'expected a list of texts'),
    task: optionalTextSchema,
    web_search_query: optionalTextSchema,
    think_content: optionalTextSchema,
    summary_prompt_type: optionalTextSchema,
  },
  'expected a JSON object',
);

/**
 * `POST /crawl_page` in the form of AFM's agents: `{"success", "obs", "error_message", "processing_time"}`, the time
 * in seconds. URLs are plain or markdown links. One that cannot be fetched is reported in its place, like a missing
 * page; `success` is false only without any URL or if our own server fails.
 */
export function crawlEndpoint(pages: Pick<PageService, 'read'>): ToolEndpoint {
  return {
    name: 'crawl_page',
    path: '/crawl_page',
    answer: async (body, signal) => {
      const startedAt = performance.now();
      const { urls, ...goal } = parseRequest(crawlRequestSchema, body, expected);
      const wanted = wantedPages(urls);
      const fetched = wanted.flatMap((page) => ('reason' in page ? [] : [page.url]));
      if (fetched.length === 0) return crawlAnswer(startedAt, { error: 'No valid URL found' });
      const read = await pages.read(fetched, signal, goalOf(goal));
      return crawlAnswer(startedAt, { obs: crawlObservation(inPlace(wanted, read)) });
    },
    refuse: (_status, message) => crawlAnswer(performance.now(), { error: message }),
  };
}

/** A URL to fetch, or an invalid text. */
type WantedPage =
  | { readonly url: string }
  | { readonly url: string; readonly ok: false; readonly reason: string };

function wantedPages(texts: readonly string[]): readonly WantedPage[] {
  const written = texts.flatMap((text) => text.split('|')).filter((text) => text.trim() !== '');
  if (written.length > MAX_URLS)
    throw new Refusal(400, `urls: ${written.length} are too many for one request; at most ${MAX_URLS}`);
  return written.map(wantedPage);
}

function wantedPage(written: string): WantedPage {
  const text = written.trim().toWellFormed();
  if (text.length > MAX_URL_CHARS)
    return { url: `${text.slice(0, 100)}…`, ok: false, reason: 'the URL is too long' };
  const found = pageUrls([text]);
  return found.ok ? { url: found.urls[0]! } : { url: text, ok: false, reason: found.error };
}

/** Results in the order of the request. */
function inPlace(wanted: readonly WantedPage[], read: readonly ReadPage[]): readonly ReadPage[] {
  const rest = read[Symbol.iterator]();
  return wanted.map((page) => ('reason' in page ? page : rest.next().value!));
}

type Goal = Omit<z.infer<typeof crawlRequestSchema>, 'urls'>;

/** The only summary kind that AFM's agents request; otherwise pages are unsummarised. */
const TOWARD_GOAL = 'webthinker_with_goal';

function goalOf({ task, web_search_query, think_content, summary_prompt_type }: Goal): CrawlGoal | undefined {
  if (summary_prompt_type !== TOWARD_GOAL && summary_prompt_type !== '') return undefined;
  if (task === '' && web_search_query === '' && think_content === '') return undefined;
  return {
    question: task,
    ...(web_search_query !== '' && { query: web_search_query }),
    ...(think_content !== '' && { thinking: think_content }),
  };
}

function crawlAnswer(
  startedAt: number,
  { obs = '', error }: { readonly obs?: string; readonly error?: string },
) {
  return {
    success: error === undefined,
    obs,
    error_message: error ?? null,
    processing_time: Math.round(performance.now() - startedAt) / 1000,
  };
}
