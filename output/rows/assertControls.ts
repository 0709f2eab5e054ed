import { RecordFailure } from '../../contract/errors.ts';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import { addedTokensOf } from './addedTokens.ts';
import type { Piece } from './rowPieces.ts';

/**
 * Checks that a row read as a whole, as trainers read it, contains exactly the added tokens of its control pieces.
 * Special tokens in text are already escaped, but a token may also span two pieces or absorb adjacent white space.
 *
 * @throws RecordFailure that names the token and the position
 */
export function assertControls(pieces: readonly Piece[], tokenizer: Tokenizer): void {
  const text = pieces.map((piece) => piece.text).join('');
  const found = addedTokensOf(tokenizer).find(text);
  const controls = controlsOf(pieces);
  const count = Math.max(found.length, controls.length);
  for (let at = 0; at < count; at++) {
    const [seen, written] = [found[at], controls[at]];
    if (seen?.token !== written?.token || seen?.start !== written?.start) {
      const { token, start } = seen ?? written!;
      fail(`the text holds ${token}, which trainers read as a control token`, text, token, start);
    }
    assertNothingTaken(text, written!, tokenizer);
  }
}

interface Control {
  readonly token: string;
  readonly start: number;
}

function controlsOf(pieces: readonly Piece[]): Control[] {
  const controls: Control[] = [];
  let start = 0;
  for (const { kind, text } of pieces) {
    if (kind === 'control') controls.push({ token: text, start });
    start += text.length;
  }
  return controls;
}

/** Hugging Face's tokenizers let some tokens absorb adjacent white space, and match others only as whole words. */
function assertNothingTaken(text: string, { token, start }: Control, tokenizer: Tokenizer): void {
  const flags = tokenizer.addedTokenFlags.get(token);
  if (flags === undefined) return;
  const before = text.slice(Math.max(0, start - 2), start);
  const after = text.slice(start + token.length, start + token.length + 2);
  if ((flags.lstrip && endsWithSpace.test(before)) || (flags.rstrip && startsWithSpace.test(after))) {
    fail(`trainers take the white space beside ${token} away`, text, token, start);
  }
  if (flags.singleWord && (endsWithWord.test(before) || startsWithWord.test(after))) {
    fail(`trainers read ${token} as text beside a letter`, text, token, start);
  }
  const around = before + token + after;
  if (flags.normalized && around.normalize('NFC') !== around) {
    fail(`trainers normalise ${token} together with what stands beside it`, text, token, start);
  }
}

// White space differs between JavaScript and Rust in U+0085 and U+FEFF: both count, so that at worst a row fails.
const endsWithSpace = /[\s\u0085]$/u;
const startsWithSpace = /^[\s\u0085]/u;
const endsWithWord = /[\p{Alphabetic}\p{M}\p{N}\p{Pc}\p{Join_Control}]$/u;
const startsWithWord = /^[\p{Alphabetic}\p{M}\p{N}\p{Pc}\p{Join_Control}]/u;

function fail(message: string, text: string, token: string, start: number): never {
  const context = text.slice(Math.max(0, start - 40), start + token.length + 40).toWellFormed();
  throw new RecordFailure('internal', message, { token, context });
}
