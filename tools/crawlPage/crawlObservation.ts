/** A page as an agent is shown it, or why it can't be. */
export type ShownPage =
  | { readonly url: string; readonly ok: true; readonly text: string }
  | { readonly url: string; readonly ok: false; readonly reason: string };

/** What the agent is shown of the pages, in the order of the URLs (AFM's layout). */
export function crawlObservation(pages: readonly ShownPage[]): string {
  return pages
    .map((page, index) => {
      const name = `Page ${index + 1} [${page.url}]`;
      return page.ok
        ? `${name} Summary:\n${page.text}`
        : `${name}: [Page content not accessible: ${page.reason}]`;
    })
    .join('\n\n');
}
