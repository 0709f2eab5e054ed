import { createHash } from 'node:crypto';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * How benchmarks are encrypted, so that crawlers don't learn their answers: Base64 of the bytes XORed with this key, over
 * and over. `sha256`: openai/simple-evals, `browsecomp_eval.py`; `text`: xbench-ai/xbench-evals, `xbench_evals.py`.
 */
const keys = {
  sha256: (canary: string) => createHash('sha256').update(canary).digest(),
  text: (canary: string) => Buffer.from(canary),
} as const;
export type Cipher = keyof typeof keys;

/** The text of an encrypted cell under the row's canary. Undefined when it is not Base64, or no text comes out. */
export function decryptCell(cell: string, canary: string, cipher: Cipher): string | undefined {
  const encrypted = cell.replace(/[\r\n]/g, '').trim();
  const key = keys[cipher](canary);
  if (key.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(encrypted)) return undefined;
  const bytes = Buffer.from(encrypted, 'base64').map((byte, at) => byte ^ key[at % key.length]!);
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The cipher under which a long cell, such as a question, is a text that people write; undefined for none. */
export function cipherOf(cell: string, canary: string): Cipher | undefined {
  const ciphers = Object.keys(keys) as Cipher[];
  return ciphers.find((cipher) => {
    const text = decryptCell(cell, canary, cipher);
    return text !== undefined && !/[^\P{Cc}\s]/u.test(text);
  });
}

/** True for Base64 without a space: no question of 16 characters and more looks so. */
export function looksEncrypted(cell: string): boolean {
  const text = cell.replace(/[\r\n]/g, '').trim();
  return text.length >= 16 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
