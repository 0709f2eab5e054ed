import { z } from 'zod';
import { textOfHtml } from '../cleanResults.ts';
import type { SearchProvider } from '../searchProvider.ts';

/** What we read of an answer (docs.tavily.com, Search). */
const answerSchema = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
});

/** `{"detail": {"error": "..."}}`, or a text as the detail. */
const errorSchema = z.object({
  detail: z.union([z.string(), z.object({ error: z.string() }).transform(({ error }) => error)]),
});

/** Longest query (Tavily answers longer ones with 400). */
const MAX_CHARS = 400;

/** Tavily: `POST /search` with a bearer key. Its snippets are pieces of pages, with entities where the page had them. */
export const tavily: SearchProvider = {
  name: 'tavily',
  refuse: (query) =>
    query.length > MAX_CHARS
      ? `the query has ${query.length} characters; tavily takes at most ${MAX_CHARS}`
      : undefined,
  request: ({ query, num }, apiKey) => ({
    method: 'POST',
    path: '/search',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ query, max_results: num }),
  }),
  read: (answer) =>
    answerSchema.parse(answer).results.map(({ url, title, content, published_date }) => ({
      title: textOfHtml(title),
      link: url,
      snippet: textOfHtml(content),
      date: published_date,
    })),
  explain({ status, body }) {
    const detail = errorSchema.safeParse(body).data?.detail;
    return { ...(detail && { detail }), isOfQuery: status === 400 && /\bquery\b/i.test(detail ?? '') };
  },
};
