import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { piecesOf } from './chatTurns.ts';
import type { DatasetRow, RowPiece, RowProblem } from './datasetRow.ts';
import { has, type RowCodec, rowOfPieces } from './rowCodec.ts';

/** TRL's `prompt` and `completion`, as texts or as turns: the completion is in the loss, the prompt is not. */
export const promptCompletionCodec: RowCodec = {
  name: 'prompt_completion',
  columns: 'prompt and completion',
  recognises: (raw) => has(raw, 'prompt') && has(raw, 'completion'),
  read(raw) {
    const prompt = promptPieces(raw.prompt);
    if ('problem' in prompt) return prompt;
    return continued(raw, 'prompt_completion', prompt, 'completion');
  },
};

/** A prompt's pieces, none of which are trained; no pieces where there is no prompt. */
export function promptPieces(prompt: JsonValue | undefined): RowPiece[] | RowProblem {
  if (prompt === undefined || prompt === null) return [];
  if (typeof prompt === 'string') return [{ text: prompt, role: 'user', origin: 'prompt', weight: 0 }];
  const pieces = piecesOf(prompt, 'prompt');
  return 'problem' in pieces ? pieces : pieces.map(asPrompt);
}

/** A turn of the prompt, also one of the model: only what goes on from there is compared or trained. */
export function asPrompt(piece: RowPiece): RowPiece {
  return { ...piece, origin: 'prompt', weight: 0 };
}

/** A prompt and how a column goes on: a text, a turn or turns. */
export function continued(
  raw: JsonObject,
  format: 'prompt_completion' | 'pair',
  prompt: readonly RowPiece[],
  column: 'completion' | 'chosen' | 'rejected',
): DatasetRow | RowProblem {
  const value = raw[column];
  if (typeof value === 'string') {
    const answer = { text: value, role: 'assistant', origin: 'model', weight: 1 } as const;
    return rowOfPieces(raw, format, 'turns', [...prompt, answer]);
  }
  if (!Array.isArray(value) && !isJsonObject(value))
    return { path: column, code: 'invalid_type', problem: 'expected a text, a turn or a list of turns' };
  const pieces = piecesOf(value, column);
  return 'problem' in pieces ? pieces : rowOfPieces(raw, format, 'turns', [...prompt, ...pieces]);
}
