import { parseHTML } from 'linkedom';

/** A parsed page. */
export type HtmlPage = ReturnType<typeof parseHTML>['document'];

/** What `<html>` may hold for the parser to find the body: it builds no elements that are missing, and moves none. */
const SOUND: ReadonlySet<string> = new Set(['head body', 'body']);

/**
 * Parses a page, also one whose `<html>`, `<head>` and `<body>` are missing, doubled or out of place: all that it has
 * is in the body then. The parser alone would lose all but the first element.
 */
export function parseHtmlPage(html: string): HtmlPage {
  // Many first elements would also cost time that grows with their square.
  if (!/<html[\s>]/i.test(html)) return parseHTML(wrapped(html)).document;
  const { document } = parseHTML(html);
  return isSound(document) ? document : parseHTML(wrapped(html)).document;
}

function isSound({ documentElement }: HtmlPage): boolean {
  if (documentElement?.localName !== 'html') return false;
  return SOUND.has([...documentElement.children].map(({ localName }) => localName).join(' '));
}

function wrapped(html: string): string {
  const content = html.replace(/<!doctype[^<>]*>|<\/?(?:html|head|body)(?:\s[^<>]*)?>/gi, '');
  return `<!doctype html><html><head></head><body>${content}</body></html>`;
}

/** Text with every run of white space as one space, and none at the ends. */
export function foldSpace(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}
