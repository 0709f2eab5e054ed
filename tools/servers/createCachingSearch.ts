import type { SerperResult } from '../serperSearch.ts';
import type { SearchService } from '../webSearch/searchProvider.ts';

/** How much a cache of searches keeps. */
export interface SearchCacheLimits {
  /** Searches; the one that was asked for longest ago goes first. */
  readonly maxSearches: number;
  /** Size of all searches with their results. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

interface KeptResults {
  readonly results: readonly SerperResult[];
  readonly askedAt: number;
  readonly bytes: number;
}

/** A search whose results are kept in memory for a while, as AFM's search server keeps them. Failures are not kept. */
export function createCachingSearch(
  service: SearchService,
  { maxSearches, maxBytes, maxAgeMs, now }: SearchCacheLimits,
): SearchService {
  const kept = new Map<string, KeptResults>();
  let keptBytes = 0;
  const drop = (key: string) => {
    keptBytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  const put = (key: string, search: KeptResults) => {
    // A map keeps the order of insertion: the first key is the one that was used longest ago.
    drop(key);
    if (search.bytes > maxBytes) return;
    kept.set(key, search);
    keptBytes += search.bytes;
    for (const oldest of kept.keys()) {
      if (kept.size <= maxSearches && keptBytes <= maxBytes) break;
      drop(oldest);
    }
  };
  return {
    search: async (query, num, signal) => {
      const key = JSON.stringify([query, num]);
      const found = kept.get(key);
      if (found && now() - found.askedAt < maxAgeMs) {
        put(key, found);
        return found.results;
      }
      const askedAt = now();
      const results = await service.search(query, num, signal);
      put(key, { results, askedAt, bytes: bytesOf(key) + bytesOf(JSON.stringify(results)) });
      return results;
    },
  };
}

/** V8 keeps a text in one or two bytes a code unit. */
function bytesOf(text: string): number {
  return 2 * text.length;
}
