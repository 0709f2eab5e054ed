import type { FetchedPage } from '../fetch/askForPage.ts';
import type { PageReader } from './createPageReader.ts';
import { cutTokens, type TokenCounter } from './cutTokens.ts';
import { decodePage } from './detectCharset.ts';
import type { PageJob } from './pageReaderProcess.ts';
import type { PageReading } from './pdfToText.ts';

/** A page's text, or why it has none. */
export type PageText =
  | {
      readonly ok: true;
      /** Without the notice of {@link shownText}. */
      readonly text: string;
      /** After redirects. */
      readonly finalUrl: string;
      readonly contentType: string;
      /** True when there is more of the page. */
      readonly cut: boolean;
    }
  | { readonly ok: false; readonly reason: string };

/** Pages that are read of one PDF. */
const MAX_PDF_PAGES = 100;

/** How much of a page is read. */
export interface TextLimits {
  /** Characters (code points) of the text; undefined: as many as there are. */
  readonly maxChars: number | undefined;
  readonly maxTokens: number;
}

/** What reads and counts a page's text. */
interface TextReader {
  readonly reader: PageReader;
  readonly openCounter: () => Promise<TokenCounter>;
}

/** Said behind a text that is only the beginning of the page's. */
const NOTICE = '\n[The page is longer; this is its beginning.]';

type Page = Extract<FetchedPage, { kind: 'page' }>;

/**
 * The readable text of a fetched page, cut to the limits.
 *
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
      // No text holds zeros: it is something else under a wrong name.
      return text.includes('\0') ? { ok: false, reason: 'it is not text' } : { ok: true, text, cut: false };
    }
  }
}

async function readPdf({ bytes, cut }: Page, limits: TextLimits, readJob: Read): Promise<PageReading> {
  // A character takes at most a few bytes and a token at most a few characters: more is not shown anyway.
  const maxChars = limits.maxChars ?? limits.maxTokens * 8;
  const read = await readJob({ kind: 'pdf', bytes, limits: { maxPages: MAX_PDF_PAGES, maxChars } });
  // Where a PDF keeps its parts stands at its end.
  return !read.ok && cut ? { ok: false, reason: 'the PDF is too large' } : read;
}

/** The beginning of a page's text, with a notice where there is more of the page. */
export function shownText(page: { readonly text: string; readonly cut: boolean }, maxChars?: number): string {
  const { text, cut } = cutChars(page.text, maxChars);
  return page.cut || cut ? text.trimEnd() + NOTICE : text;
}

/** The beginning of a text of at most so many code points. */
export function cutChars(text: string, maxChars = Number.POSITIVE_INFINITY): { text: string; cut: boolean } {
  const whole = text.toWellFormed();
  if (whole.length <= maxChars) return { text: whole, cut: false };
  let [units, left] = [0, maxChars];
  for (; left > 0 && units < whole.length; left--) units += whole.codePointAt(units)! > 0xffff ? 2 : 1;
  return { text: whole.slice(0, units), cut: units < whole.length };
}

/** How a page is turned into text. */
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

/** The content type without its parameters; empty for what is none, since agents are shown it. */
function mediaType(contentType: string): string {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  return /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(type) ? type : '';
}

/**
 * The kind of a page; undefined for one without text. A PDF is told by its bytes, since it is often sent as something
 * else; where the header says nothing, `<` begins HTML and anything else is taken for text.
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

/** Readers bear some bytes in front of the mark. */
function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-') && !beginsWithTag(bytes);
}

function beginsWithTag(bytes: Uint8Array): boolean {
  return /^\ufeff?\s*<[!?a-z]/i.test(Buffer.from(bytes.subarray(0, 512)).toString());
}
