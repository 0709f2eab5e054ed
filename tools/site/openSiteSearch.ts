import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../base/userError.ts';
import { createPageReader } from '../crawlPage/createPageReader.ts';
import { expressionOf, wordsOf } from '../queryWords.ts';
import type { SerperRequest, SerperResult } from '../webSearch/cleanResults.ts';

/** A site on this machine. */
export interface SiteFolder {
  /** HTML pages; read once. */
  readonly folder: string;
  readonly host: string;
}

/** Search over the pages of a folder, without a server. Throws `UserError` as {@link siteFiles}. */
export async function openSiteSearch(
  { folder, host }: SiteFolder,
  log: (line: string) => void,
): Promise<SiteSearch> {
  return createSiteSearch(await readSite(folder, log), host);
}

/** Timeout per page; reading one takes milliseconds. */
export const SITE_PAGE_MS = 10_000;

/**
 * Pages of `tools.site.folder`.
 * @param log told of each page that can't be read, which is served but not found by a search
 * @throws UserError as {@link siteFiles}
 */
export async function readSite(folder: string, log: (line: string) => void): Promise<SitePage[]> {
  const reader = createPageReader(SITE_PAGE_MS);
  const never = new AbortController().signal;
  try {
    const files = await siteFiles(folder);
    return await Promise.all(
      files.map(async (file) => {
        const html = await readFile(path.join(folder, file), 'utf8');
        const read = await reader.read({ kind: 'words', html }, never);
        if (!read.ok) log(`tools.site: no search finds ${file}: ${read.reason}`);
        const { text, title, date = '', source = '' } = read.ok ? read : { text: '' };
        return { file, html, title: title || file, text, date, source };
      }),
    );
  } finally {
    reader.close();
  }
}

/**
 * `.html` files below a folder, sorted by name.
 * @throws UserError when it can't be read or holds none
 */
export async function siteFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((cause) => {
    throw new UserError(`tools.site.folder: ${folder} can't be read (${cause.message})`, { cause });
  });
  const files = names.map((name) => name.split(path.sep).join('/')).filter((name) => name.endsWith('.html'));
  if (files.length === 0) throw new UserError(`tools.site.folder: ${folder} holds no .html page`);
  return files.sort();
}

/** Full-text search over the pages of a site. */
export interface SiteSearch {
  /** Pages, best first: BM25 over any word, with title words counted twice; ties by file name. */
  search(request: SerperRequest): SerperResult[];
  close(): void;
}

const SNIPPET_WORDS = 32;

const BEST = `
  SELECT file, title, date, source, snippet(pages, 4, '', '', '…', ${SNIPPET_WORDS}) AS snippet
  FROM pages WHERE pages MATCH ? ORDER BY bm25(pages, 0, 2, 0, 0, 1), file LIMIT ?
`;

type Row = Record<'file' | 'title' | 'date' | 'source' | 'snippet', string>;

/** Indexes pages in memory. Links have the form `http://<host>/<file>`. */
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

/** A page of a site, served and searched. */
export interface SitePage {
  /** Path below the host, without the leading slash: `people/ada.html`. */
  readonly file: string;
  readonly html: string;
  readonly title: string;
  /** Readable text, white space folded. */
  readonly text: string;
  /** Content of `<meta name="date">`; empty without one. */
  readonly date: string;
  /** Content of `<meta name="author">`; empty without one. */
  readonly source: string;
}
