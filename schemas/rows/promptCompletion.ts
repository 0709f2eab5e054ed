import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { asPrompt, piecesOf } from './chatTurns.ts';
import {
  type DatasetRow,
  isProblem,
  type PairSide,
  type RowFormatName,
  type RowPiece,
  type RowProblem,
} from './datasetRow.ts';
import { has, type RowCodec, rowOfPieces } from './rowCodec.ts';

/** TRL's `prompt` and `completion`, as texts or as turns: all of the completion is in the loss, the prompt is not. */
export const promptCompletionCodec: RowCodec = {
  name: 'prompt_completion',
  columns: 'prompt and completion',
  reads: ['prompt', 'completion'],
  recognises: (raw) => has(raw, 'prompt') && has(raw, 'completion'),
  read(raw) {
    const prompt = promptPieces(raw.prompt);
    if ('problem' in prompt) return prompt;
    const maskedBy = areTexts(raw.prompt, raw.completion) ? 'texts' : 'completion';
    const row = continued(raw, { format: 'prompt_completion', maskedBy }, prompt, 'completion');
    return raw.label === false && !isProblem(row) ? { ...row, isUndesirable: true } : row;
  },
};

/** Untrained pieces of a prompt; empty without one. */
export function promptPieces(prompt: JsonValue | undefined): RowPiece[] | RowProblem {
  if (prompt === undefined || prompt === null) return [];
  if (typeof prompt === 'string') return [{ text: prompt, role: 'user', origin: 'prompt', weight: 0 }];
  const pieces = piecesOf(prompt, 'prompt');
  return 'problem' in pieces ? pieces : pieces.map(asPrompt);
}

/** True if a prompt, possibly absent, and its continuation are texts: trainers use them unchanged. */
export function areTexts(prompt: JsonValue | undefined, answer: JsonValue | undefined): boolean {
  return typeof (prompt ?? '') === 'string' && typeof answer === 'string';
}

/**
 * A prompt and its continuation in a column: a text, a turn or turns. TRL trains all of these turns, ms-swift those
 * of the model (`turns`).
 */
export function continued(
  raw: JsonObject,
  {
    format,
    maskedBy,
  }: { readonly format: RowFormatName; readonly maskedBy: 'turns' | 'completion' | 'texts' },
  prompt: readonly RowPiece[],
  column: 'completion' | PairSide,
): DatasetRow | RowProblem {
  const value = raw[column];
  if (typeof value === 'string') {
    const answer = { text: value, role: 'assistant', origin: 'model', weight: 1 } as const;
    return rowOfPieces(raw, format, maskedBy, [...prompt, answer]);
  }
  if (!Array.isArray(value) && !isJsonObject(value))
    return { path: column, code: 'invalid_type', problem: 'expected a text, a turn or a list of turns' };
  const pieces = piecesOf(value, column);
  if ('problem' in pieces) return pieces;
  const trained = maskedBy === 'turns' ? pieces : pieces.map((piece) => ({ ...piece, weight: 1 }));
  return rowOfPieces(raw, format, maskedBy, [...prompt, ...trained]);
}
