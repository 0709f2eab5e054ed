/**
 * What the agent is shown of passages: `Doc 1 (Title: "…")`, a line feed and the text, documents apart by a blank
 * line.
 */
export function wikiObservation(
  query: string,
  passages: readonly { readonly title: string; readonly text: string }[],
): string {
  if (passages.length === 0) return `No passages found for query: '${query}'. Use other or fewer words.`;
  return passages
    .map(({ title, text }, index) => `Doc ${index + 1} (Title: "${title}")\n${text}`.trimEnd())
    .join('\n\n');
}
