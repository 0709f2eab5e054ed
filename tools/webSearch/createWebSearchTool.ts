import type { JsonObject } from '../../base/json.ts';
import type { Tool } from '../../contract/tool.ts';
import type { SearchProviderName } from '../../schemas/config/tools/webSearch.ts';
import type { KeptSearch } from '../../schemas/run/cachedAnswer.ts';
import { describedTool, type QueryInput, queryInput } from '../parseToolInput.ts';
import type { SerperResult } from './cleanResults.ts';
import { QueryRefused, type SearchService } from './searchProvider.ts';

/** Search service and number of results. */
export interface WebSearchToolOptions {
  readonly service: SearchService;
  readonly provider: SearchProviderName;
  /** Results per query. */
  readonly num: number;
}

/** The `web_search` tool. It stores provider, query and count with the results, so that a cache shows the request. */
export function createWebSearchTool({ service, provider, num }: WebSearchToolOptions): Tool {
  const description = 'Searches the web and shows titles, links and snippets of the best pages.';
  return {
    ...describedTool('web_search', description, queryInput),
    async call(input, signal) {
      const { query } = input as QueryInput;
      const asked = { provider, query: query.toWellFormed(), num };
      try {
        const organic = [...(await service.search(query, num, signal))];
        const raw: KeptSearch = { ...asked, organic };
        return { observation: webObservation(query, organic), raw: raw as JsonObject };
      } catch (error) {
        if (!(error instanceof QueryRefused)) throw error;
        const observation = `The search was refused: ${error.message}. Use another query.`;
        const raw: KeptSearch = { ...asked, refused: error.message };
        return { observation, raw: raw as JsonObject };
      }
    },
  };
}

/** Observation of search results (AFM's layout). */
export function webObservation(query: string, results: readonly SerperResult[]): string {
  if (results.length === 0) return `No results found for query: '${query}'. Use a less specific query.`;
  const shown = results.map(describeResult).join('\n\n');
  return `Found ${results.length} results:\n\n## Web Results\n${shown}`;
}

function describeResult({ title, link, snippet, date, source }: SerperResult, index: number): string {
  const lines = [
    `${index + 1}. [${title}](${link})`,
    ...(date ? [`Date published: ${date}`] : []),
    ...(source ? [`Source: ${source}`] : []),
    link,
    ...(snippet ? [snippet] : []),
  ];
  return lines.join('\n');
}
