import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { Tool } from '../../pipeline/contract/tool.ts';
import { defineTool } from '../input/defineTool.ts';
import { parseToolInput } from '../input/parseToolInput.ts';
import { type QueryInput, queryInput } from '../search/queryInput.ts';
import type { PassageIndex } from './openPassageIndex.ts';
import type { Passage } from './passage.ts';
import { wikiObservation } from './wikiObservation.ts';

/** The `wiki_search` tool: shows the `topK` best passages of a corpus. The index stays the caller's to close. */
export function createWikiSearchTool({ index, topK }: { index: PassageIndex; topK: number }): Tool {
  return {
    name: 'wiki_search',
    definition: defineTool(
      'wiki_search',
      'Searches an encyclopedia and shows the best passages.',
      queryInput.schema,
    ),
    parseInput: (input) => parseToolInput(queryInput, input),
    call: async (input) => {
      const { query } = input as QueryInput;
      const passages = searchIndex(index, query, topK);
      return {
        observation: wikiObservation(query, passages),
        raw: passages.map(({ id, title, text }) => ({ id, title, text })),
      };
    },
  };
}

/** An index that broke after it was opened is the service's fault, not the agent's. */
function searchIndex(index: PassageIndex, query: string, topK: number): readonly Passage[] {
  try {
    return index.search(query, topK);
  } catch (cause) {
    const why = (cause as Error).message;
    const message = `wiki_search: the passage index failed (${why}); without its file in the cache it is built again`;
    throw new RecordFailure('tool_unavailable', message, { tool: 'wiki_search' }, { cause });
  }
}
