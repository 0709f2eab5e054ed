import { z } from 'zod';
import { RecentEntries } from '../recentEntries.ts';
import type { SerperResult } from '../webSearch/cleanResults.ts';
import type { SearchService } from '../webSearch/searchProvider.ts';
import type { ToolEndpoint } from './createToolApp.ts';
import { parseRequest, queryTextSchema } from './refusal.ts';

/** Most results of a request. */
const MAX_RESULTS = 100;

/**
 * `POST /search` in Serper's shape: `{"q", "num"?}` is answered with `{"searchParameters", "organic"}`. Other members
 * of a request (`gl`, `hl`, `page`) are left alone.
 *
 * @param defaultResults - Results where a request does not say how many
 */
export function searchEndpoint(service: SearchService, defaultResults: number): ToolEndpoint {
  const expected = `{"q": text, "num"?: 1 to ${MAX_RESULTS}}`;
  return {
    name: 'web_search',
    path: '/search',
    answer: async (body, signal) => {
      const { q, num } = parseRequest(searchRequestSchema, body, expected);
      const asked = num ?? defaultResults;
      const results = await service.search(q, asked, signal);
      return {
        searchParameters: { q, num: asked, type: 'search' },
        organic: results.slice(0, asked).map(organicResult),
      };
    },
    refuse: (status, message) => ({ message, statusCode: status }),
  };
}

const range = `expected a whole number from 1 to ${MAX_RESULTS}`;
const searchRequestSchema = z.object(
  {
    q: queryTextSchema.refine((text) => text.trim() !== '', 'is empty'),
    num: z.int(range).min(1, range).max(MAX_RESULTS, range).nullish(),
  },
  'expected a JSON object',
);

/** Clients read `snippet` without asking whether it is there. */
function organicResult({ title, link, snippet, date, source }: SerperResult, index: number) {
  return {
    title,
    link,
    snippet: snippet ?? '',
    ...(date && { date }),
    ...(source && { source }),
    position: index + 1,
  };
}

/** A search whose results are kept in memory for a while, as AFM's search server keeps them. Failures are not kept. */
export function createCachingSearch(service: SearchService, now: () => number): SearchService {
  const kept = new RecentEntries<readonly SerperResult[]>(now);
  return {
    search: async (query, num, signal) => {
      const key = JSON.stringify([query, num]);
      const found = kept.get(key);
      if (found) return found;
      const askedAt = now();
      const results = await service.search(query, num, signal);
      // V8 keeps a text in one or two bytes a code unit.
      kept.put(key, results, 2 * (key.length + JSON.stringify(results).length), askedAt);
      return results;
    },
  };
}
