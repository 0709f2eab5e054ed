/** URLs as they are fetched and shown, or what is wrong with one. */
export type PageUrls =
  | { readonly ok: true; readonly urls: readonly string[] }
  | { readonly ok: false; readonly error: string };

/** Most pages of one call: all are fetched at once. */
export const MAX_PAGES = 10;

/**
 * The URLs that a model wrote: plain, as markdown links, or several in one text joined by `|` (as they stand in a
 * `<crawl_page>` block).
 */
export function pageUrls(written: readonly string[]): PageUrls {
  const urls = written
    .flatMap((text) => text.split('|'))
    .map((text) => text.trim())
    .map(linkTarget)
    .filter((text) => text !== '');
  if (urls.length === 0) return { ok: false, error: 'No valid URL found' };
  if (urls.length > MAX_PAGES) return { ok: false, error: `${urls.length} URLs are too many` };
  const problem = urls.map(urlProblem).find((found) => found !== undefined);
  return problem === undefined ? { ok: true, urls } : { ok: false, error: problem };
}

/** Where a Markdown link leads, whatever brackets its words hold; any other text is itself. */
function linkTarget(text: string): string {
  const at = text.lastIndexOf('](');
  const isLink = at > 0 && text.startsWith('[') && text.endsWith(')') && at + 3 < text.length;
  return isLink ? text.slice(at + 2, -1) : text;
}

function urlProblem(text: string): string | undefined {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (!url) return `"${text}" is not a URL`;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `"${text}" is not an http or https URL`;
  // The profile's grammar wants the slashes, which URL parsers don't.
  if (!/^https?:\/\//.test(text)) return `"${text}" does not begin with http:// or https://`;
  if (url.username || url.password) return `"${text}" holds a user name or password`;
  return undefined;
}
