import type { Profile } from '../coa/profile.ts';
import type { Trajectory } from '../trajectory.ts';
import type { RowPiece, RowProblem } from './datasetRow.ts';

/** What a row of text is written from. */
export interface RowToWrite {
  /** The texts without chat markup, special tokens escaped. */
  readonly rendered: Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'>;
  readonly profile: Profile;
  /** The row's whole text: chat markup, prompt, segments, end of turn. */
  readonly pieces: readonly Pick<RowPiece, 'text' | 'origin' | 'weight'>[];
}

/** The text of the model's turn. */
export function answerText({ segments }: Pick<Trajectory, 'segments'>): string {
  return segments.map((segment) => segment.text).join('');
}

/**
 * Neighbouring pieces as one text wherever both are trained or both are not: the turns of a text format whose
 * trainer masks by turn.
 */
export function rowTurns(pieces: RowToWrite['pieces']): { trained: boolean; text: string }[] {
  const turns: { trained: boolean; text: string }[] = [];
  for (const { weight, text } of pieces) {
    const last = turns.at(-1);
    if (last?.trained === weight > 0) last.text += text;
    else turns.push({ trained: weight > 0, text });
  }
  return turns;
}

/** The problem of a row that its trainer would not read as it is in this layout. */
export function cannotWrite(problem: string): RowProblem {
  return { path: '', code: 'cannot_write', problem };
}
