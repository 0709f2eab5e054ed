import { parseHTML } from 'linkedom';

export type HtmlPage = ReturnType<typeof parseHTML>['document'];

/** Children of `<html>` with which the parser finds the body: it neither adds nor moves elements. */
const SOUND: ReadonlySet<string> = new Set(['head body', 'body']);

/**
 * Parses a page, also with `<html>`, `<head>` and `<body>` missing, duplicated or misplaced: its whole content is in
 * the body then. The parser alone would keep only the first element.
 */
export function parseHtmlPage(html: string): HtmlPage {
  // Many top-level elements would also take quadratic time.
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

/** Collapses white space to single spaces and trims. */
export function foldSpace(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}
