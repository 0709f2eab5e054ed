import { createHash } from 'node:crypto';
import { sha256Hex } from '../ids.ts';

/** Last key and closing brace of a sealed object, on one line or indented. */
const seal = /,\s*"checksum": ?"([0-9a-f]{64})"\s*\}\s*$/;
/** Above the length of any seal. */
const SEAL_BYTES = 96;

/**
 * A one-line JSON object whose last key, `checksum`, is the SHA-256 of the bytes before it, to detect damage on
 * reading. The object must have a key.
 */
export function sealedLine(value: object): string {
  const body = JSON.stringify(value).slice(0, -1);
  return `${body},"checksum":"${sha256Hex(body)}"}`;
}

/** Indented variant as a file of its own. */
export function sealedFile(value: object): string {
  const body = JSON.stringify(value, null, 2).slice(0, -2);
  return `${body},\n  "checksum": "${sha256Hex(body)}"\n}\n`;
}

/** Parses sealed bytes. Throws `Error` for a missing or wrong checksum. */
export function parseSealed(bytes: Buffer): unknown {
  return JSON.parse(`${checkSealed(bytes).toString('utf8')}}`);
}

/** Compares the checksum without parsing; returns the bytes before it. Throws as {@link parseSealed}. */
export function checkSealed(bytes: Buffer): Buffer {
  const end = bytes.subarray(-SEAL_BYTES).toString('latin1');
  const found = seal.exec(end);
  if (!found) throw new Error('its checksum is missing');
  const body = bytes.subarray(0, bytes.length - (end.length - found.index));
  if (createHash('sha256').update(body).digest('hex') !== found[1]) throw new Error('its checksum is wrong');
  return body;
}
