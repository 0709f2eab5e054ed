import type { SerperResult } from '../search/serperSearch.ts';

/** What the agent is shown of search results (AFM's layout). */
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
