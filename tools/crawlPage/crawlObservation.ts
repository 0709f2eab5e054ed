import type { PageText } from './pageText.ts';

/** What the agent is shown of the pages, in the order of the URLs (AFM's layout). */
export function crawlObservation(
  pages: readonly { readonly url: string; readonly page: PageText }[],
): string {
  return pages
    .map(({ url, page }, index) => {
      const name = `Page ${index + 1} [${url}]`;
      return page.ok
        ? `${name} Summary:\n${page.text}`
        : `${name}: [Page content not accessible: ${page.reason}]`;
    })
    .join('\n\n');
}
