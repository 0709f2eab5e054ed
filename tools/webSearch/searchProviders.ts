import { z } from 'zod';
import { ServiceFault } from '../../contract/serviceCalls.ts';
import type { SearchProviderName } from '../../schemas/config/tools/webSearch.ts';
import { serperAnswerSchema, textOfHtml } from './cleanResults.ts';
import type { SearchProvider, SearchRequest } from './searchProvider.ts';

const optionalText = z.string().nullish();

function jsonPost(body: object, headers: SearchRequest['headers']): SearchRequest {
  return {
    method: 'POST',
    path: '/search',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

function get(
  path: string,
  parameters: Record<string, string>,
  headers: SearchRequest['headers'],
): SearchRequest {
  const query = new URLSearchParams(parameters);
  return { method: 'GET', path: `${path}?${query}`, headers: { accept: 'application/json', ...headers } };
}

function bearer(apiKey: string | undefined): SearchRequest['headers'] {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

/** Date without the time. */
function dayOf(date: string | null | undefined): string | undefined {
  return date?.slice(0, 'YYYY-MM-DD'.length);
}

/** True if a 400 is about the query; it also means an empty account ("Not enough credits"). */
function isOfQuery(status: number, detail: string | undefined): boolean {
  return status === 400 && /\bquery\b/i.test(detail ?? '');
}

/** `{"message": "Unauthorized.", "statusCode": 403}` */
const serperErrorSchema = z.object({ message: z.string() });

/** Serper (serper.dev) and compatible services: `POST /search` with `X-API-KEY`. */
const serper: SearchProvider = {
  name: 'serper',
  request: ({ query, num }, apiKey) => jsonPost({ q: query, num }, { 'x-api-key': apiKey ?? '' }),
  read: (answer) => serperAnswerSchema.parse(answer).organic,
  explain({ status, body }) {
    const detail = serperErrorSchema.safeParse(body).data?.message;
    return { detail, isOfQuery: isOfQuery(status, detail) };
  },
};

/** Parsed part of an answer (docs.searxng.org, Search API). */
const searxngAnswerSchema = z.object({
  results: z.array(
    z.object({ url: z.string(), title: optionalText, content: optionalText, publishedDate: optionalText }),
  ),
  /** Pairs of an engine's name and its error. */
  unresponsive_engines: z.array(z.unknown()).catch([]),
});

/** SearXNG: `GET /search?format=json`, which an instance must enable. A key is sent as a bearer token for a proxy. */
const searxng: SearchProvider = {
  name: 'searxng',
  request: ({ query }, apiKey) => get('/search', { q: query, format: 'json' }, bearer(apiKey)),
  read(answer) {
    const { results, unresponsive_engines } = searxngAnswerSchema.parse(answer);
    // An empty result because all engines failed is an error: cached, it would hide the pages permanently.
    if (results.length === 0 && unresponsive_engines.length > 0) {
      throw new ServiceFault('found nothing because engines of the instance did not answer', {
        evidence: { unresponsive_engines: unresponsive_engines.length },
      });
    }
    return results.map(({ url, title, content, publishedDate }) => ({
      title,
      link: url,
      snippet: content,
      date: dayOf(publishedDate),
    }));
  },
  explain: ({ status }) =>
    status === 403
      ? { detail: 'the instance must allow JSON: search.formats in its settings.yml' }
      : { isOfQuery: status === 400 },
};

/**
 * Parsed part of an answer (api-dashboard.search.brave.com, WebSearchApiResponse); `web` is absent without results.
 */
const braveAnswerSchema = z.object({
  web: z
    .object({
      results: z.array(
        z.object({
          url: z.string(),
          title: optionalText,
          description: optionalText,
          page_age: optionalText,
          age: optionalText,
          profile: z.object({ name: optionalText }).nullish().catch(null),
        }),
      ),
    })
    .nullish(),
});

/** Parsed part of an error: `{"error": {"code": "RATE_LIMITED", "detail": "...", "meta": {...}}}` */
const braveErrorSchema = z.object({
  error: z.object({
    code: z.string().catch(''),
    detail: z.string().catch(''),
    meta: z
      .object({
        quota_limit: z.number().nullish(),
        quota_current: z.number().nullish(),
        errors: z
          .array(z.object({ loc: z.array(z.unknown()) }))
          .nullish()
          .catch(null),
      })
      .nullish()
      .catch(null),
  }),
});

/** Brave Search: `GET /res/v1/web/search` with `X-Subscription-Token`. Titles and descriptions come as HTML. */
const brave: SearchProvider = {
  name: 'brave',
  // Limits of Brave's parameter `q`.
  most: { characters: 400, words: 50 },
  request: ({ query, num }, apiKey) =>
    get(
      '/res/v1/web/search',
      { q: query, count: String(num), result_filter: 'web' },
      apiKey ? { 'x-subscription-token': apiKey } : {},
    ),
  read: (answer) =>
    (braveAnswerSchema.parse(answer).web?.results ?? []).map((result) => ({
      title: textOfHtml(result.title),
      link: result.url,
      snippet: textOfHtml(result.description),
      // A page's date is stable; its age ("3 days ago") is not.
      date: dayOf(result.page_age) ?? result.age,
      source: result.profile?.name,
    })),
  /** Distinguishes causes: 422 means a wrong key or a wrong parameter, 429 a spent month or too many requests. */
  explain({ status, headers, body }) {
    const error = braveErrorSchema.safeParse(body).data?.error;
    if (!error) return {};
    const { code, detail, meta } = error;
    const { quota_limit: limit, quota_current: current } = meta ?? {};
    const isSpent = code === 'QUOTA_LIMITED' || (status === 429 && !!limit && (current ?? 0) >= limit);
    return {
      detail: [code, detail].filter((text) => text !== '').join(': '),
      isOfQuery: (meta?.errors ?? []).some(({ loc }) => loc.at(-1) === 'q'),
      retried: isSpent ? false : undefined,
      // Limits per second, then per month: the first is the one to wait for.
      retryAfter: headers.get('x-ratelimit-reset')?.split(',', 1)[0]?.trim(),
    };
  },
};

/** Parsed part of an answer (docs.tavily.com, Search). */
const tavilyAnswerSchema = z.object({
  results: z.array(
    z.object({ url: z.string(), title: optionalText, content: optionalText, published_date: optionalText }),
  ),
});

/** `{"detail": {"error": "..."}}`, or a text as the detail. */
const tavilyErrorSchema = z.object({
  detail: z.union([z.string(), z.object({ error: z.string() }).transform(({ error }) => error)]),
});

/** Tavily: `POST /search` with a bearer key. Its snippets are excerpts of pages that may contain entities. */
const tavily: SearchProvider = {
  name: 'tavily',
  // Longer ones are answered with 400.
  most: { characters: 400 },
  request: ({ query, num }, apiKey) => jsonPost({ query, max_results: num }, bearer(apiKey)),
  read: (answer) =>
    tavilyAnswerSchema.parse(answer).results.map(({ url, title, content, published_date }) => ({
      title: textOfHtml(title),
      link: url,
      snippet: textOfHtml(content),
      date: published_date,
    })),
  explain({ status, body }) {
    const detail = tavilyErrorSchema.safeParse(body).data?.detail;
    return { detail, isOfQuery: isOfQuery(status, detail) };
  },
};

/** Providers with an HTTP API. */
export const searchProviders: Readonly<Record<Exclude<SearchProviderName, 'local'>, SearchProvider>> = {
  serper,
  searxng,
  brave,
  tavily,
};

/** Problem with the length of a query; undefined if accepted. */
export function lengthProblem({ name, most }: SearchProvider, query: string): string | undefined {
  if (!most) return undefined;
  const { characters, words: mostWords = Number.POSITIVE_INFINITY } = most;
  const words = query.trim().split(/\s+/).length;
  if (query.length > characters)
    return `the query has ${query.length} characters; ${name} takes at most ${characters}`;
  return words > mostWords ? `the query has ${words} words; ${name} takes at most ${mostWords}` : undefined;
}
