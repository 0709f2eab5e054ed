import { createHash } from 'node:crypto';
import { sha256Hex } from '../ids.ts';

/** The last key of a sealed object, and what closes it: on a line, and indented. */
const seal = /,\s*"checksum": ?"([0-9a-f]{64})"\s*\}\s*$/;
/** Longer than any seal. */
const SEAL_BYTES = 96;

/**
 * A JSON object on one line whose last key, `checksum`, is the SHA-256 of the bytes before it, so that damage is
 * noticed when it is read. The object has a key at least.
 */
export function sealedLine(value: object): string {
  const body = JSON.stringify(value).slice(0, -1);
  return `${body},"checksum":"${sha256Hex(body)}"}`;
}

/** The same as a file of its own, indented. */
export function sealedFile(value: object): string {
  const body = JSON.stringify(value, null, 2).slice(0, -2);
  return `${body},\n  "checksum": "${sha256Hex(body)}"\n}\n`;
}

/** Parses what was sealed. Throws `Error` for a missing or wrong checksum. */
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
