import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { Tokenizer } from '../../pipeline/contract/tokenizer.ts';
import { assertNoAddedTokens } from './assertNoAddedTokens.ts';
import { concatenateIds, firstDifference } from './idArrays.ts';
import type { Piece } from './rowPieces.ts';

/** A row in a model's tokens. */
export interface TokenisedRow {
  readonly inputIds: Int32Array;
  /** 1 where the token is trained; as long as `inputIds`, and 0 for the first token, which nothing predicts. */
  readonly lossMask: Int8Array;
  readonly trainedTokens: number;
}

/** Thrown for a row in which a token of the whole text lies across the border of two pieces. */
export class StraddlingTokens extends RecordFailure {
  /** Borders that are none between tokens. */
  readonly straddles: number;

  constructor(straddles: number, evidence: { token: number; before: string; after: string }) {
    const message = `${straddles} segment borders lie inside a token of the whole text: no mask would be exact`;
    super('internal', message, { straddles, ...evidence });
    this.straddles = straddles;
  }
}

/**
 * Ids and mask of a row. Pieces are tokenised apart, so that every token has one origin, and the text between
 * control tokens as a whole, as trainers do; the two must agree.
 *
 * @throws StraddlingTokens where they don't, RecordFailure for text that holds an added token
 */
export async function tokeniseRow(pieces: readonly Piece[], tokenizer: Tokenizer): Promise<TokenisedRow> {
  assertNoAddedTokens(pieces, tokenizer.addedTokens);
  const pieceIds = await Promise.all(
    pieces.map(({ kind, text }) =>
      kind === 'control' ? Uint32Array.of(tokenizer.controlId(text)) : tokenizer.encode(text),
    ),
  );
  await assertNoStraddling(pieces, pieceIds, tokenizer);
  const inputIds = Int32Array.from(concatenateIds(pieceIds));
  const lossMask = maskOf(pieces, pieceIds, inputIds.length);
  return { inputIds, lossMask, trainedTokens: lossMask.reduce((sum, bit) => sum + bit, 0) };
}

function maskOf(pieces: readonly Piece[], pieceIds: readonly Uint32Array[], length: number): Int8Array {
  const mask = new Int8Array(length);
  let at = 0;
  pieces.forEach(({ origin }, index) => {
    const end = at + pieceIds[index]!.length;
    if (origin === 'model') mask.fill(1, at, end);
    at = end;
  });
  return mask;
}

async function assertNoStraddling(
  pieces: readonly Piece[],
  pieceIds: readonly Uint32Array[],
  tokenizer: Tokenizer,
): Promise<void> {
  for (const [start, end] of textRuns(pieces)) {
    const texts = pieces.slice(start, end).map((piece) => piece.text);
    const apart = concatenateIds(pieceIds.slice(start, end));
    const whole = await tokenizer.encode(texts.join(''));
    const token = firstDifference(apart, whole);
    if (token !== undefined) throw await describeStraddling(texts, whole, token, tokenizer);
  }
}

/** Ranges of two and more text pieces with no control token between them. */
function* textRuns(pieces: readonly Piece[]): Generator<[start: number, end: number]> {
  let start = 0;
  for (let at = 0; at <= pieces.length; at++) {
    if (pieces[at]?.kind === 'text') continue;
    if (at - start > 1) yield [start, at];
    start = at + 1;
  }
}

/** Counts the borders at which cutting the text changes its ids. */
async function describeStraddling(
  texts: readonly string[],
  whole: Uint32Array,
  token: number,
  tokenizer: Tokenizer,
): Promise<StraddlingTokens> {
  const straddled: number[] = [];
  for (let border = 1; border < texts.length; border++) {
    const halves = [texts.slice(0, border).join(''), texts.slice(border).join('')];
    const cut = concatenateIds(await Promise.all(halves.map((half) => tokenizer.encode(half))));
    if (firstDifference(cut, whole) !== undefined) straddled.push(border);
  }
  const first = straddled[0] ?? 1;
  return new StraddlingTokens(Math.max(1, straddled.length), {
    token,
    before: texts[first - 1]!.slice(-40).toWellFormed(),
    after: texts[first]!.slice(0, 40).toWellFormed(),
  });
}
