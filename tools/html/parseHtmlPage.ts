import { parseHTML } from 'linkedom';

/** A parsed page. */
export type HtmlPage = ReturnType<typeof parseHTML>['document'];

/**
 * Parses a page. The parser builds no `<html>` and `<body>` of its own, so a page without them gets them here:
 * otherwise all but its first element would be lost.
 */
export function parseHtmlPage(html: string): HtmlPage {
  const hasBody = /<body[\s>]/i.test(html);
  return parseHTML(hasBody ? html : `<!doctype html><html><body>${html}</body></html>`).document;
}
