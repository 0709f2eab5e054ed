import type { Tokenizer } from '../../contract/tokenizer.ts';
import { normalForm } from '../../schemas/normalForm.ts';

export type TokenCounter = Pick<Tokenizer, 'encode' | 'decode'>;

/** A text and a flag for truncation. */
export interface CutText {
  readonly text: string;
  readonly cut: boolean;
}

/** Characters encoded at once: other work runs between pieces, and only as much as needed is encoded. */
const PIECE_CHARS = 4096;
/** Characters searched backwards for white space at the end of a piece. */
const LOOK_BACK_CHARS = 256;

/**
 * Start of a text with at most `maxTokens` tokens. Pieces are counted one by one; they end before white space, where
 * tokens end too. A text with no more bytes than that is never encoded: no token is shorter than a byte.
 */
export async function cutTokens(
  text: string,
  maxTokens: number,
  openCounter: () => Promise<TokenCounter>,
): Promise<CutText> {
  if (Buffer.byteLength(text) <= maxTokens) return { text, cut: false };
  const counter = await openCounter();
  const kept: string[] = [];
  let left = maxTokens;
  // Tokenizers refuse text that they would normalise.
  for (const piece of pieces(normalForm(text.toWellFormed(), 'NFC'))) {
    const ids = await counter.encode(piece);
    if (ids.length > left) {
      const beginning = await counter.decode(ids.subarray(0, left));
      // Drops a partial character at the end.
      kept.push(beginning.replace(/\ufffd{1,4}$/, ''));
      return { text: kept.join(''), cut: true };
    }
    kept.push(piece);
    left -= ids.length;
  }
  return { text: kept.join(''), cut: false };
}

function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

function endOfPiece(text: string, start: number): number {
  const end = start + PIECE_CHARS;
  if (end >= text.length) return text.length;
  for (let at = end; at > end - LOOK_BACK_CHARS; at--) {
    if (/\s/.test(text[at]!) && !/\s/.test(text[at - 1]!)) return at;
  }
  // Never inside a surrogate pair.
  return /[\udc00-\udfff]/.test(text[end]!) ? end + 1 : end;
}
