/** How a page is turned into text. */
export type PageKind = 'html' | 'pdf' | 'text';

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
export function mediaType(contentType: string): string {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  return /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(type) ? type : '';
}

/**
 * The kind of a page; undefined for one without text. A PDF is told by its bytes, since it is often sent as something
 * else; where the header says nothing, `<` begins HTML and anything else is taken for text.
 */
export function pageKind(contentType: string, bytes: Uint8Array): PageKind | undefined {
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
