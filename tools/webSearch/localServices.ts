import { RecordFailure } from '../../contract/errors.ts';
import type { SiteSearch } from '../site/openSiteSearch.ts';
import { type Passage, type PassageRetriever, splitContents } from '../wikiSearch/passage.ts';
import type { SerperResult } from './cleanResults.ts';
import { MAX_RESULT_CHARS, oneLine } from './cleanResults.ts';
import type { SearchService } from './searchProvider.ts';

/** Maximum snippet length: a search shows where to read, not the whole passage. */
const MAX_SNIPPET_CHARS = 300;

/** Search service over the passages of a corpus. The caller closes the retriever. */
export function createPassageService(retriever: Pick<PassageRetriever, 'retrieve'>): SearchService {
  return {
    async search(query, num, signal) {
      const [found = []] = await retriever.retrieve([query], num, signal);
      return found.map(passageResult);
    },
  };
}

/** A passage as a search result. Its link `passage:ID` names it, but cannot be crawled. */
export function passageResult({ id, contents }: Passage): SerperResult {
  const { title, text } = splitContents(contents);
  const snippet = oneLine(text, MAX_SNIPPET_CHARS);
  return {
    title: oneLine(title, MAX_RESULT_CHARS.title),
    link: `passage:${encodeURIComponent(id)}`,
    ...(snippet && { snippet }),
  };
}

/** Search service over the pages of a local site. The caller closes the site. */
export function createSiteService(site: Pick<SiteSearch, 'search'>): SearchService {
  return {
    async search(query, num, signal) {
      signal.throwIfAborted();
      try {
        return site.search({ q: query, num });
      } catch (cause) {
        const message = `web_search: the index of the site failed (${(cause as Error).message})`;
        const evidence = { tool: 'web_search', provider: 'local' };
        throw new RecordFailure('tool_unavailable', message, evidence, { cause });
      }
    },
  };
}
