import type { SerperResult } from '../search/serperSearch.ts';
import { type Passage, splitContents } from '../wikiSearch/passage.ts';
import type { PassageRetriever } from '../wikiSearch/passageRetriever.ts';
import { MAX_RESULT_CHARS } from './cleanResults.ts';
import { oneLine } from './oneLine.ts';
import type { SearchService } from './searchService.ts';

/** Longest snippet: a search shows where to read, not the whole passage. */
const MAX_SNIPPET_CHARS = 300;

/** A search service over the passages of a corpus. The retriever stays the caller's to close. */
export function createPassageService(retriever: Pick<PassageRetriever, 'retrieve'>): SearchService {
  return {
    async search(query, num, signal) {
      const [found = []] = await retriever.retrieve([query], num, signal);
      return found.map(passageResult);
    },
  };
}

/** A passage as a search result. It is no page: its link `passage:ID` names it, and can't be crawled. */
export function passageResult({ id, contents }: Passage): SerperResult {
  const { title, text } = splitContents(contents);
  const snippet = oneLine(text, MAX_SNIPPET_CHARS);
  return {
    title: oneLine(title, MAX_RESULT_CHARS.title),
    link: `passage:${encodeURIComponent(id)}`,
    ...(snippet && { snippet }),
  };
}
