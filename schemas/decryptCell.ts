import { createHash } from 'node:crypto';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Keys of encrypted benchmarks, which hide their answers from crawlers: Base64 of the bytes XORed with the repeated
 * key. `sha256`: openai/simple-evals, `browsecomp_eval.py`; `text`: xbench-ai/xbench-evals, `xbench_evals.py`.
 */
const keys = {
  sha256: (canary: string) => createHash('sha256').update(canary).digest(),
  text: (canary: string) => Buffer.from(canary),
} as const;
export type Cipher = keyof typeof keys;

/** Decrypts a cell with the row's canary. Undefined if it is not Base64, or the result is not text. */
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

/** Cipher that decrypts a long cell, such as a question, to natural text; undefined if none does. */
export function cipherOf(cell: string, canary: string): Cipher | undefined {
  const ciphers = Object.keys(keys) as Cipher[];
  return ciphers.find((cipher) => {
    const text = decryptCell(cell, canary, cipher);
    return text !== undefined && !/[^\P{Cc}\s]/u.test(text);
  });
}

/** True for Base64 without a space, which no question of at least 16 characters resembles. */
export function looksEncrypted(cell: string): boolean {
  const text = cell.replace(/[\r\n]/g, '').trim();
  return text.length >= 16 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
