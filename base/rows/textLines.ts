import { readLines } from '../journal/readLines.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The lines of a text file without their ends (LF or CRLF) and without a byte order mark, one in memory at a time;
 * undefined for a line that is not UTF-8. Not `readline`: it also ends lines at U+2028, which may stand in JSON.
 */
export async function* textLines(file: string): AsyncGenerator<string | undefined> {
  for await (const { bytes, number } of readLines(file)) {
    const text = decode(bytes)?.replace(/\r$/, '');
    yield number === 1 ? text?.replace(/^\uFEFF/, '') : text;
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
