import { hash } from 'node:crypto';
import stringify from 'fast-json-stable-stringify';

/** Kinds of content ids; the kind is the id's prefix. */
export type IdKind =
  | 'task'
  | 'document'
  | 'candidate'
  | 'fact'
  | 'trace'
  | 'event'
  | 'trajectory'
  | 'message'
  | 'request'
  | 'config'
  | 'row';

/** Hexadecimal digits kept of the SHA-256: 96 bits, so a billion records collide with a probability below 1e-10. */
const ID_HEX_DIGITS = 24;

/** Canonical JSON: keys sorted, no white space, `undefined` members left out. Equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return stringify(value);
}

/** SHA-256 of a text's UTF-8 bytes (lone surrogates become U+FFFD first) or of raw bytes, in hexadecimal. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', typeof data === 'string' ? data.toWellFormed() : data);
}

/** A content id such as `task_3fa9…`: the same content gives the same id on every machine. */
export function contentId(kind: IdKind, content: unknown): string {
  return `${kind}_${sha256Hex(canonicalJson(content)).slice(0, ID_HEX_DIGITS)}`;
}
