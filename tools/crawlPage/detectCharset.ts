import { analyse } from 'chardet';

/** Maximum offset of a page's `<meta charset>` or XML declaration (HTML standard). */
const DECLARED_WITHIN_BYTES = 1024;
/** Bytes used by statistics. */
const SAMPLE_BYTES = 65_536;
/**
 * Share of zero bytes that indicates UTF-16: western text has a zero in nearly every other byte, other encodings have
 * none.
 */
const UTF16_ZEROS = 0.3;

/**
 * Encoding of a page by `TextDecoder`'s name: from its byte order mark, header, `<meta>` or XML declaration, in this
 * order; otherwise UTF-8 if valid, else by byte statistics of `chardet`, which reads no declarations.
 */
export function detectCharset(bytes: Uint8Array, contentType: string): string {
  return byMark(bytes) ?? byHeader(contentType) ?? byDeclaration(bytes) ?? byStatistics(bytes);
}

function byMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}

function byHeader(contentType: string): string | undefined {
  return known(/charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1]);
}

function byDeclaration(bytes: Uint8Array): string | undefined {
  const head = latin1(bytes.subarray(0, DECLARED_WITHIN_BYTES));
  const declared =
    /<meta[^<>]*charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml[^<>]*encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1];
  const label = known(declared);
  // A declaration readable as ASCII is not in UTF-16 (HTML standard).
  return label?.startsWith('utf-16') ? 'utf-8' : label;
}

function byStatistics(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (isUtf8(sample)) return switchesToJapanese(sample) ? 'iso-2022-jp' : 'utf-8';
  const utf16 = utf16Of(sample);
  if (utf16) return utf16;
  const text = Buffer.from(latin1(sample).replace(/<[^<>]*>/g, ' '), 'latin1');
  const likely = analyse(text).map(({ name }) => name);
  return likely.map(known).find((label) => label !== undefined) ?? 'windows-1252';
}

/** True for valid UTF-8; the sample may end within a character. */
function isUtf8(sample: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return !sample.includes(0);
  } catch {
    return false;
  }
}

/** Detects ISO-2022-JP, which is ASCII with escape sequences. */
function switchesToJapanese(sample: Uint8Array): boolean {
  const text = latin1(sample);
  return text.includes('\u001b$B') || text.includes('\u001b$@');
}

function utf16Of(sample: Uint8Array): string | undefined {
  const zeros = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1;
  });
  const [even, odd] = zeros.map((count) => count / (sample.length / 2)) as [number, number];
  if (odd > UTF16_ZEROS && odd > even * 2) return 'utf-16le';
  return even > UTF16_ZEROS && even > odd * 2 ? 'utf-16be' : undefined;
}

/** Canonical name of a label known to `TextDecoder`. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** Text of a page without the byte order mark. Invalid bytes become U+FFFD. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  return new TextDecoder(detectCharset(bytes, contentType)).decode(bytes);
}
