import { detectCharset } from './detectCharset.ts';

/** The text of a page, without the byte order mark. Bytes that stand for nothing become U+FFFD. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  return new TextDecoder(detectCharset(bytes, contentType)).decode(bytes);
}
