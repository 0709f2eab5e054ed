import type { Tool } from '../../pipeline/contract/tool.ts';
import { defineTool } from '../input/defineTool.ts';
import { parseToolInput } from '../input/parseToolInput.ts';
import { type QueryInput, queryInput } from '../search/queryInput.ts';
import { fetchResults, type SearchService } from './fetchResults.ts';
import { webObservation } from './webObservation.ts';

/** The `web_search` tool over a service of Serper's shape; `num` results a query are asked for. */
export function createWebSearchTool({ num, ...service }: SearchService & { readonly num: number }): Tool {
  return {
    name: 'web_search',
    definition: defineTool(
      'web_search',
      'Searches the web and shows titles, links and snippets of the best pages.',
      queryInput.schema,
    ),
    parseInput: (input) => parseToolInput(queryInput, input),
    call: async (input, signal) => {
      const { query } = input as QueryInput;
      const found = await fetchResults(service, { q: query, num }, signal);
      const results = found.slice(0, num);
      return { observation: webObservation(query, results), raw: { organic: results } };
    },
  };
}
