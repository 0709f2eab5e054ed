import type { FetchedPage } from '../fetch/askForPage.ts';
import type { PageReader } from './createPageReader.ts';
import { cutTokens, type TokenCounter } from './cutTokens.ts';
import { decodePage } from './detectCharset.ts';
import type { PageJob } from './pageReaderProcess.ts';
import type { PageReading } from './pdfToText.ts';

/** Text of a page, or the reason for none. */
export type PageText =
  | {
      readonly ok: true;
      /** Text without the notice of {@link shownText}. */
      readonly text: string;
      /** URL after redirects. */
      readonly finalUrl: string;
      readonly contentType: string;
      /** True if the page continues. */
      readonly cut: boolean;
    }
  | { readonly ok: false; readonly reason: string };

/** Maximum pages read of a PDF. */
const MAX_PDF_PAGES = 100;

/** Limits of a page's text. */
export interface TextLimits {
  /** Maximum characters (code points); undefined: unlimited. */
  readonly maxChars: number | undefined;
  readonly maxTokens: number;
}

/** Parser and token counter for a page's text. */
interface TextReader {
  readonly reader: PageReader;
  readonly openCounter: () => Promise<TokenCounter>;
}

/** Notice after a truncated text. */
const NOTICE = '\n[The page is longer; this is its beginning.]';

type Page = Extract<FetchedPage, { kind: 'page' }>;

/**
 * Readable text of a fetched page within the limits.
 * @throws the signal's reason, when it is aborted before the page is read
 */
export async function pageText(
  page: FetchedPage,
  limits: TextLimits,
  { reader, openCounter }: TextReader,
  signal: AbortSignal,
): Promise<PageText> {
  if (page.kind === 'inaccessible') return { ok: false, reason: page.reason };
  const read = await readText(page, limits, (job) => reader.read(job, signal));
  if (!read.ok) return read;
  if (read.text.trim() === '') return { ok: false, reason: 'it has no readable text' };
  const short = cutChars(read.text, limits.maxChars);
  const { text, cut } = await cutTokens(short.text, limits.maxTokens, openCounter);
  return {
    ok: true,
    text,
    finalUrl: page.url.href,
    contentType: mediaType(page.contentType),
    cut: page.cut || read.cut || short.cut || cut,
  };
}

type Read = (job: PageJob) => Promise<PageReading>;

async function readText(page: Page, limits: TextLimits, read: Read): Promise<PageReading> {
  const { bytes, contentType, url } = page;
  switch (pageKind(contentType, bytes)) {
    case undefined:
      return { ok: false, reason: `content type ${mediaType(contentType)} is not text` };
    case 'html':
      return read({ kind: 'html', html: decodePage(bytes, contentType), url: url.href });
    case 'pdf':
      return readPdf(page, limits, read);
    case 'text': {
      const text = decodePage(bytes, contentType).trim();
      // Text never contains NUL: the content has a wrong type.
      return text.includes('\0') ? { ok: false, reason: 'it is not text' } : { ok: true, text, cut: false };
    }
  }
}

async function readPdf({ bytes, cut }: Page, limits: TextLimits, readJob: Read): Promise<PageReading> {
  // A token has at most a few characters: more is never shown.
  const maxChars = limits.maxChars ?? limits.maxTokens * 8;
  const read = await readJob({ kind: 'pdf', bytes, limits: { maxPages: MAX_PDF_PAGES, maxChars } });
  // The index of a PDF is at its end.
  return !read.ok && cut ? { ok: false, reason: 'the PDF is too large' } : read;
}

/** Start of a page's text, with a notice if the page continues. */
export function shownText(page: { readonly text: string; readonly cut: boolean }, maxChars?: number): string {
  const { text, cut } = cutChars(page.text, maxChars);
  return page.cut || cut ? text.trimEnd() + NOTICE : text;
}

/** First code points of a text, up to a maximum. */
export function cutChars(text: string, maxChars = Number.POSITIVE_INFINITY): { text: string; cut: boolean } {
  const whole = text.toWellFormed();
  if (whole.length <= maxChars) return { text: whole, cut: false };
  let [units, left] = [0, maxChars];
  for (; left > 0 && units < whole.length; left--) units += whole.codePointAt(units)! > 0xffff ? 2 : 1;
  return { text: whole.slice(0, units), cut: units < whole.length };
}

/** Parser for a kind of page. */
type PageKind = 'html' | 'pdf' | 'text';

const HTML_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const UNTOLD_TYPES: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
const TEXT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/ld+json',
  'application/x-ndjson',
  'application/jsonl',
  'application/xml',
  'application/rss+xml',
  'application/atom+xml',
  'application/yaml',
  'application/x-yaml',
  'application/toml',
  'application/javascript',
  'application/x-tex',
]);

/** Content type without parameters; empty if invalid, since agents see it. */
function mediaType(contentType: string): string {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  return /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(type) ? type : '';
}

/**
 * Kind of a page; undefined without text. PDFs are detected by their bytes, since they are often sent with another
 * type; without a content type, `<` starts HTML and anything else is text.
 */
function pageKind(contentType: string, bytes: Uint8Array): PageKind | undefined {
  const type = mediaType(contentType);
  if (isPdf(bytes) || type === 'application/pdf') return 'pdf';
  if (HTML_TYPES.has(type)) return 'html';
  if (type.startsWith('text/') || TEXT_TYPES.has(type) || /^application\/[\w.-]+\+(?:json|xml)$/.test(type)) {
    return 'text';
  }
  if (!UNTOLD_TYPES.has(type)) return undefined;
  return beginsWithTag(bytes) ? 'html' : 'text';
}

/** Detects a PDF; readers tolerate some bytes before the mark. */
function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-') && !beginsWithTag(bytes);
}

function beginsWithTag(bytes: Uint8Array): boolean {
  return /^\ufeff?\s*<[!?a-z]/i.test(Buffer.from(bytes.subarray(0, 512)).toString());
}
