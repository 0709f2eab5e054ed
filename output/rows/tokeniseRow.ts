import { RecordFailure } from '../../contract/errors.ts';
import type { EncodedTexts, Tokenizer } from '../../contract/tokenizer.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import { assertControls } from './assertControls.ts';
import type { Piece } from './rowPieces.ts';

function concatenateIds(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function firstDifference(a: Uint32Array, b: Uint32Array): number | undefined {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at;
  return a.length === b.length ? undefined : shorter;
}

export interface TokenisedRow {
  readonly inputIds: Int32Array;
  /** 1 for trained tokens; as long as `inputIds`, and 0 for the first token, which is never predicted. */
  readonly lossMask: Int8Array;
  /** Loss weight of each token; absent if all are 0 or 1, as the mask says. */
  readonly weights?: Float32Array;
  readonly trainedTokens: number;
  /** Piece borders inside a token of the whole text; 0 unless pieces are encoded apart. */
  readonly bordersInTokens: number;
}

export class TokensAcrossBorders extends RecordFailure {
  readonly bordersInTokens: number;

  constructor(bordersInTokens: number, evidence: { token: number; before: string; after: string }) {
    const message = `${bordersInTokens} segment borders lie inside a token of the whole text: no mask would be exact`;
    super('internal', message, { boundary_tokens: bordersInTokens, ...evidence });
    this.bordersInTokens = bordersInTokens;
  }
}

/**
 * Ids and mask of a row. The text between control tokens must have the same ids as a whole, as trainers encode it, and
 * piece by piece, so that every token has one author.
 *
 * @param boundaryTokens - Handling of other rows: `fail`, or encode the stretches of equal weight `apart`, as trainers
 * encode the turns of a text format.
 * @throws TokensAcrossBorders with `fail`, RecordFailure for text that trainers read differently from the pieces, and
 * for a row whose first token would be trained
 */
export async function tokeniseRow(
  pieces: readonly Piece[],
  tokenizer: Tokenizer,
  boundaryTokens: DatasetConfig['boundary_tokens'] = 'fail',
): Promise<TokenisedRow> {
  assertControls(pieces, tokenizer);
  const runs: Run[] = [];
  for (const run of runsOf(pieces)) runs.push(await encodeRun(run, tokenizer, boundaryTokens));
  const ids = concatenateIds(runs.map((run) => run.ids));
  const mask = maskOf(runs, ids.length);
  if (mask.lossMask[0] === 1) {
    throw new RecordFailure('internal', 'the first token of the row is trained, but nothing predicts it');
  }
  const bordersInTokens = runs.reduce((sum, run) => sum + run.bordersInTokens, 0);
  return { inputIds: new Int32Array(ids.buffer), ...mask, bordersInTokens };
}

/** Pieces encoded together: a control token, or all text up to the next one. */
interface Run extends EncodedTexts {
  readonly pieces: readonly Piece[];
  readonly bordersInTokens: number;
}

function runsOf(pieces: readonly Piece[]): Piece[][] {
  const runs: Piece[][] = [];
  for (const piece of pieces) {
    const last = runs.at(-1);
    if (piece.kind === 'text' && last?.[0]?.kind === 'text') last.push(piece);
    else runs.push([piece]);
  }
  return runs;
}

async function encodeRun(
  pieces: readonly Piece[],
  tokenizer: Tokenizer,
  boundaryTokens: DatasetConfig['boundary_tokens'],
): Promise<Run> {
  const texts = pieces.map((piece) => piece.text);
  if (pieces[0]!.kind === 'control') {
    const id = tokenizer.controlId(texts[0]!);
    return { pieces, ids: Uint32Array.of(id), ends: Uint32Array.of(1), bordersInTokens: 0 };
  }
  const encoded = await tokenizer.encodeSideBySide(texts);
  if (encoded !== undefined) return { pieces, ...encoded, bordersInTokens: 0 };
  if (boundaryTokens === 'fail') throw await describeBorders(texts, tokenizer);
  return encodeApart(pieces, tokenizer);
}

/** Encodes each stretch of equal weight separately. */
async function encodeApart(pieces: readonly Piece[], tokenizer: Tokenizer): Promise<Run> {
  const stretches = stretchesOfWeight(pieces);
  const texts = stretches.map((piece) => piece.text);
  const parts: Uint32Array[] = [];
  for (const text of texts) parts.push(await tokenizer.encode(text));
  let end = 0;
  const ends = Uint32Array.from(parts, (part) => (end += part.length));
  const bordersInTokens = (await bordersInsideTokens(texts, tokenizer)).length;
  return { pieces: stretches, ids: concatenateIds(parts), ends, bordersInTokens };
}

function stretchesOfWeight(pieces: readonly Piece[]): Piece[] {
  const stretches: Piece[] = [];
  for (const piece of pieces) {
    const last = stretches.at(-1);
    if (last?.weight === piece.weight)
      stretches[stretches.length - 1] = { ...last, text: last.text + piece.text };
    else stretches.push(piece);
  }
  return stretches;
}

function maskOf(
  runs: readonly Run[],
  length: number,
): Pick<TokenisedRow, 'lossMask' | 'trainedTokens' | 'weights'> {
  const weights = new Float32Array(length);
  const lossMask = new Int8Array(length);
  let isWeighted = false;
  let trainedTokens = 0;
  let runStart = 0;
  for (const { pieces, ids, ends } of runs) {
    let start = 0;
    for (const [index, { weight }] of pieces.entries()) {
      const end = ends[index]!;
      if (weight > 0 && end > start) {
        weights.fill(weight, runStart + start, runStart + end);
        lossMask.fill(1, runStart + start, runStart + end);
        trainedTokens += end - start;
        isWeighted ||= weight !== 1;
      }
      start = end;
    }
    runStart += ids.length;
  }
  return { lossMask, trainedTokens, ...(isWeighted ? { weights } : {}) };
}

/** Borders between neighbouring texts at which splitting changes the ids. */
async function bordersInsideTokens(texts: readonly string[], tokenizer: Tokenizer): Promise<number[]> {
  const borders: number[] = [];
  for (let border = 1; border < texts.length; border++) {
    const neighbours = [texts[border - 1]!, texts[border]!];
    if ((await tokenizer.encodeSideBySide(neighbours)) === undefined) borders.push(border);
  }
  return borders;
}

async function describeBorders(texts: readonly string[], tokenizer: Tokenizer): Promise<TokensAcrossBorders> {
  const found = await bordersInsideTokens(texts, tokenizer);
  const first = found[0] ?? 1;
  const apart = concatenateIds(await Promise.all(texts.map((text) => tokenizer.encode(text))));
  const whole = await tokenizer.encode(texts.join(''));
  return new TokensAcrossBorders(Math.max(1, found.length), {
    token: firstDifference(apart, whole) ?? whole.length,
    before: texts[first - 1]!.slice(-40).toWellFormed(),
    after: texts[first]!.slice(0, 40).toWellFormed(),
  });
}
