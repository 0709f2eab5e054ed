import { Tiktoken } from 'tiktoken';
import type { ByteLevelBpe } from './byteLevelBpe.ts';

/** `tiktoken` with a model's own ranks and pattern. */
export interface TiktokenEncoder {
  encode(text: string): Uint32Array;
  decode(ids: Uint32Array): string;
  close(): void;
}

/** Makes the encoder; throws an `Error` when the pattern is none that `tiktoken` takes. */
export function createTiktokenEncoder(bpe: ByteLevelBpe): TiktokenEncoder {
  const tiktoken = new Tiktoken(rankLines(bpe.tokens), {}, bpe.pattern);
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    encode: (text) => tiktoken.encode_ordinary(text),
    decode: (ids) => utf8.decode(tiktoken.decode(ids)),
    close: () => tiktoken.free(),
  };
}

/** The package's own compact form: lines of `! <first rank> <base64> <base64> ...`, a new one after each gap. */
function rankLines(tokens: readonly (Uint8Array | undefined)[]): string {
  const lines: string[][] = [];
  tokens.forEach((bytes, id) => {
    if (bytes === undefined) return;
    if (id === 0 || tokens[id - 1] === undefined) lines.push(['!', String(id)]);
    lines.at(-1)?.push(Buffer.from(bytes).toString('base64'));
  });
  return lines.map((line) => line.join(' ')).join('\n');
}
