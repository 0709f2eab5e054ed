import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { foldSpace, parseHtmlPage } from '../parseHtmlPage.ts';

/** A page of a site, as it is served and as it is searched. */
export interface SitePage {
  /** Below the host, without the first slash: `people/ada.html`. */
  readonly file: string;
  readonly html: string;
  readonly title: string;
  /** Readable text, white space folded. */
  readonly text: string;
  /** Content of `<meta name="date">`; empty where the page has none. */
  readonly date: string;
  /** Content of `<meta name="author">`; empty where the page has none. */
  readonly source: string;
}

/** What is not the page's own text. */
const HIDDEN = 'title, script, style, template, noscript, nav, footer';
/** What parts words even without white space between the tags. */
const BLOCKS =
  'p, div, section, article, header, li, dt, dd, tr, td, th, caption, h1, h2, h3, h4, h5, h6, br, pre';

/** Reads all `.html` files below a folder, ordered by name. Throws when the folder can't be read. */
export async function readSitePages(folder: string): Promise<SitePage[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.html'))
    .sort();
  return Promise.all(
    files.map(async (file) => parseSitePage(file, await readFile(path.join(folder, file), 'utf8'))),
  );
}

/** What a page's HTML says. */
export function parseSitePage(file: string, html: string): SitePage {
  const document = parseHtmlPage(html);
  const meta = (name: string) =>
    document.querySelector(`meta[name="${name}"]`)?.getAttribute('content')?.trim() ?? '';
  const title = foldSpace(document.querySelector('title')?.textContent) || file;
  for (const hidden of document.querySelectorAll(HIDDEN)) hidden.remove();
  for (const block of document.querySelectorAll(BLOCKS)) block.after(' ');
  const text = foldSpace(document.documentElement.textContent);
  return { file, html, title, text, date: meta('date'), source: meta('author') };
}
