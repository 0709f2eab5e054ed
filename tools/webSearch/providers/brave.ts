import { z } from 'zod';
import { textOfHtml } from '../cleanResults.ts';
import type { ErrorAnswer, SearchProvider } from '../searchProvider.ts';

const optionalText = z.string().nullish();

/** What we read of an answer (api-dashboard.search.brave.com, WebSearchApiResponse); without results `web` is absent. */
const answerSchema = z.object({
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

/** What we read of an error: `{"error": {"code": "RATE_LIMITED", "detail": "...", "meta": {...}}}` */
const errorSchema = z.object({
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

/** Longest query (Brave's documentation of the parameter `q`). */
const MOST = { chars: 400, words: 50 };

/** Brave Search: `GET /res/v1/web/search` with `X-Subscription-Token`. Titles and descriptions come as HTML. */
export const brave: SearchProvider = {
  name: 'brave',
  refuse(query) {
    const words = query.trim().split(/\s+/).length;
    if (query.length > MOST.chars)
      return `the query has ${query.length} characters; brave takes at most ${MOST.chars}`;
    return words > MOST.words ? `the query has ${words} words; brave takes at most ${MOST.words}` : undefined;
  },
  request: ({ query, num }, apiKey) => ({
    method: 'GET',
    path: `/res/v1/web/search?${new URLSearchParams({ q: query, count: String(num), result_filter: 'web' })}`,
    headers: { accept: 'application/json', ...(apiKey && { 'x-subscription-token': apiKey }) },
  }),
  read: (answer) =>
    (answerSchema.parse(answer).web?.results ?? []).map((result) => ({
      title: textOfHtml(result.title),
      link: result.url,
      snippet: textOfHtml(result.description),
      // The day of a page stays what it is; its age ("3 days ago") does not.
      date: result.page_age?.slice(0, 'YYYY-MM-DD'.length) ?? result.age,
      source: result.profile?.name,
    })),
  explain: (answer) => explain(answer),
};

/** A wrong key comes with 422, as a wrong parameter does; what is spent of a month with 429, as too many at once do. */
function explain({ status, headers, body }: ErrorAnswer) {
  const error = errorSchema.safeParse(body).data?.error;
  if (!error) return {};
  const { code, detail, meta } = error;
  const { quota_limit: limit, quota_current: current } = meta ?? {};
  const isSpent = code === 'QUOTA_LIMITED' || (status === 429 && !!limit && (current ?? 0) >= limit);
  return {
    detail: [code, detail].filter((text) => text !== '').join(': '),
    isOfQuery: (meta?.errors ?? []).some(({ loc }) => loc.at(-1) === 'q'),
    ...(isSpent && { retried: false }),
    // Of the second, then of the month: the first is the one to wait for.
    retryAfter: headers.get('x-ratelimit-reset')?.split(',', 1)[0]?.trim(),
  };
}
