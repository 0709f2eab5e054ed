import type { Tool } from '../../contract/tool.ts';
import { describedTool, type QueryInput, queryInput } from '../parseToolInput.ts';
import { type PassageRetriever, splitContents } from './passage.ts';

/** The `wiki_search` tool: shows the `topK` best passages of a corpus. The caller closes the retriever. */
export function createWikiSearchTool({
  retriever,
  topK,
}: {
  readonly retriever: PassageRetriever;
  readonly topK: number;
}): Tool {
  return {
    ...describedTool('wiki_search', 'Searches an encyclopedia and shows the best passages.', queryInput),
    call: async (input, signal) => {
      const { query } = input as QueryInput;
      const [found = []] = await retriever.retrieve([query], topK, signal);
      const passages = found.map(({ id, contents }) => ({ id, ...splitContents(contents) }));
      return { observation: wikiObservation(query, passages), raw: passages };
    },
  };
}

/** Observation of passages: `Doc 1 (Title: "…")`, a line feed and the text, separated by blank lines. */
function wikiObservation(
  query: string,
  passages: readonly { readonly title: string; readonly text: string }[],
): string {
  if (passages.length === 0) return `No passages found for query: '${query}'.`;
  return passages
    .map(({ title, text }, index) => `Doc ${index + 1} (Title: "${title}")\n${text}`.trimEnd())
    .join('\n\n');
}
