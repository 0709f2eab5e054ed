import { z } from 'zod';
import { RecentEntries } from '../recentEntries.ts';
import type { SerperResult } from '../webSearch/cleanResults.ts';
import type { SearchService } from '../webSearch/searchProvider.ts';
import type { ToolEndpoint } from './createToolApp.ts';
import { parseRequest, queryTextSchema } from './refusal.ts';

/** Maximum results per request. */
const MAX_RESULTS = 100;

/**
 * `POST /search` in Serper's shape: `{"q", "num"?}` is answered with `{"searchParameters", "organic"}`. Other members
 * of a request (`gl`, `hl`, `page`) are ignored.
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

/** Fills in `snippet`, which clients read without a check. */
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

/** A search with results cached in memory for a while, like AFM's search server. Failures are not cached. */
export function createCachingSearch(service: SearchService, now: () => number): SearchService {
  const kept = new RecentEntries<readonly SerperResult[]>(now);
  return {
    search: async (query, num, signal) => {
      const key = JSON.stringify([query, num]);
      const found = kept.get(key);
      if (found) return found;
      const askedAt = now();
      const results = await service.search(query, num, signal);
      // V8 stores a text in one or two bytes per code unit.
      kept.put(key, results, 2 * (key.length + JSON.stringify(results).length), askedAt);
      return results;
    },
  };
}
