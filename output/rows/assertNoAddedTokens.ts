import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { Piece } from './rowPieces.ts';

/**
 * Guards the row's text against added tokens, which trainers that tokenise text themselves turn into control ids
 * wherever they stand. Look-alikes were neutralised, and model text that holds them dropped, long before this.
 * A text made of several pieces is searched as a whole too: a token may lie across their border.
 *
 * @throws RecordFailure that names the token and the place
 */
export function assertNoAddedTokens(pieces: readonly Piece[], addedTokens: readonly string[]): void {
  const text = pieces
    .map(({ kind, text }) => (kind === 'control' ? '\u0000'.repeat(text.length) : text))
    .join('');
  for (const token of addedTokens) {
    const at = text.indexOf(token);
    if (at < 0) continue;
    throw new RecordFailure('internal', `the text holds ${token}, which trainers read as a control token`, {
      token,
      context: text.slice(Math.max(0, at - 40), at + token.length + 40).toWellFormed(),
    });
  }
}
