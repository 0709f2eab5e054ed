import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../base/userError.ts';
import { foldSpace, parseHtmlPage } from '../parseHtmlPage.ts';
import { expressionOf, wordsOf } from '../queryWords.ts';
import type { SerperRequest, SerperResult } from '../webSearch/cleanResults.ts';

/** A site on this machine. */
export interface SiteFolder {
  /** HTML pages; read once. */
  readonly folder: string;
  /** Host name in the links of search results. */
  readonly host: string;
}

/** Search over the pages of a folder, without a server. Throws `UserError` as {@link readSite}. */
export async function openSiteSearch({ folder, host }: SiteFolder): Promise<SiteSearch> {
  return createSiteSearch(await readSite(folder), host);
}

/** The pages of `tools.site.folder`. Throws `UserError` when the folder can't be read or holds no page. */
export async function readSite(folder: string): Promise<SitePage[]> {
  const pages = await readSitePages(folder).catch((cause) => {
    throw new UserError(`tools.site.folder: ${folder} can't be read (${cause.message})`, { cause });
  });
  if (pages.length === 0) throw new UserError(`tools.site.folder: ${folder} holds no .html page`);
  return pages;
}

/** Full-text search over the pages of a site. */
export interface SiteSearch {
  /** Best pages first: BM25 over any word, a word in the title counting twice; equal scores by file name. */
  search(request: SerperRequest): SerperResult[];
  close(): void;
}

const SNIPPET_WORDS = 32;

const BEST = `
  SELECT file, title, date, source, snippet(pages, 4, '', '', '…', ${SNIPPET_WORDS}) AS snippet
  FROM pages WHERE pages MATCH ? ORDER BY bm25(pages, 0, 2, 0, 0, 1), file LIMIT ?
`;

type Row = Record<'file' | 'title' | 'date' | 'source' | 'snippet', string>;

/** Indexes pages in memory. Links lead to `http://<host>/<file>`. */
export function createSiteSearch(pages: readonly SitePage[], host: string): SiteSearch {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE VIRTUAL TABLE pages USING
    fts5(file UNINDEXED, title, date UNINDEXED, source UNINDEXED, text, tokenize = 'porter unicode61')`);
  const insert = database.prepare('INSERT INTO pages VALUES (?, ?, ?, ?, ?)');
  for (const page of pages) insert.run(page.file, page.title, page.date, page.source, page.text);
  const best = database.prepare(BEST);
  return {
    search: ({ q, num }) => {
      const words = wordsOf(q);
      if (words.length === 0) return [];
      return (best.all(expressionOf(words), num) as unknown as Row[]).map((row) => toResult(row, host));
    },
    close: () => database.close(),
  };
}

function toResult({ file, title, snippet, date, source }: Row, host: string): SerperResult {
  const link = `http://${host}/${file.split('/').map(encodeURIComponent).join('/')}`;
  return { title, link, snippet, ...(date ? { date } : {}), ...(source ? { source } : {}) };
}

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
async function readSitePages(folder: string): Promise<SitePage[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.html'))
    .sort();
  return Promise.all(
    files.map(async (file) => parseSitePage(file, await readFile(path.join(folder, file), 'utf8'))),
  );
}

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
