/**
 * Characters that byte-level vocabularies use for each byte: printable Latin-1 as is, other bytes numbered from U+0100
 * (GPT-2's `bytes_to_unicode`).
 */
export const characterOfByte: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : next++);
  });
})();

const byteOfUnit = new Int16Array(512).fill(-1);
characterOfByte.forEach((character, byte) => {
  byteOfUnit[character.charCodeAt(0)] = byte;
});

/** Writes the bytes of a token of a byte-level vocabulary, one per character; false if a character maps to no byte. */
export function writeTokenBytes(token: string, target: Uint8Array, start: number): boolean {
  for (let at = 0; at < token.length; at++) {
    const byte = byteOfUnit[token.charCodeAt(at)] ?? -1;
    if (byte < 0) return false;
    target[start + at] = byte;
  }
  return true;
}

export interface TokenBytes {
  readonly bytes: Uint8Array;
  /** Start of each id's bytes, which end at the start of the next id. */
  readonly starts: Uint32Array;
}

/** Reads a byte-level vocabulary without the `added` tokens; undefined if a token has another spelling. */
export function tokenBytesOf(
  vocab: Readonly<Record<string, number>>,
  added: ReadonlySet<string>,
): TokenBytes | undefined {
  const ordinary = Object.keys(vocab).filter((token) => !added.has(token));
  const starts = startsOf(ordinary, vocab);
  const bytes = new Uint8Array(starts.at(-1)!);
  const written = ordinary.every((token) => writeTokenBytes(token, bytes, starts[vocab[token]!]!));
  return written ? { bytes, starts } : undefined;
}

/** Ids by token bytes as Latin-1. */
export function idsByBytes({ bytes, starts }: TokenBytes): Map<string, number> {
  const ids = new Map<string, number>();
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let id = 0; id + 1 < starts.length; id++) {
    const [start, end] = [starts[id]!, starts[id + 1]!];
    if (start < end) ids.set(all.toString('latin1', start, end), id);
  }
  return ids;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes ids. Invalid UTF-8 becomes U+FFFD; ids of no ordinary token are left out. */
export function decodeTokens({ bytes, starts }: TokenBytes, ids: Uint32Array): string {
  const parts = Array.from(ids, (id) => bytes.subarray(starts[id], starts[id + 1] ?? 0));
  return utf8.decode(Buffer.concat(parts));
}

/** Relies on one byte per character of a token. */
function startsOf(tokens: readonly string[], vocab: Readonly<Record<string, number>>): Uint32Array {
  const ids = tokens.reduce((most, token) => Math.max(most, vocab[token]! + 1), 0);
  const starts = new Uint32Array(ids + 1);
  for (const token of tokens) starts[vocab[token]! + 1] = token.length;
  for (let id = 0; id < ids; id++) starts[id + 1]! += starts[id]!;
  return starts;
}
