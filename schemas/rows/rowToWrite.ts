import type { Profile } from '../coa/profile.ts';
import type { Trajectory } from '../trajectory.ts';
import type { RowPiece, RowProblem } from './datasetRow.ts';

/** Inputs of a text row. */
export interface RowToWrite {
  /** Texts without chat markup, with special tokens escaped. */
  readonly rendered: Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'>;
  readonly profile: Profile;
  /** Complete text of the row: chat markup, prompt, segments, end of turn. */
  readonly pieces: readonly Pick<RowPiece, 'text' | 'origin' | 'weight'>[];
}

/** Text of the model's turn. */
export function answerText({ segments }: Pick<Trajectory, 'segments'>): string {
  return segments.map((segment) => segment.text).join('');
}

/** Merges neighbouring pieces with equal training: turns of a text format whose trainer masks by turn. */
export function rowTurns(pieces: RowToWrite['pieces']): { trained: boolean; text: string }[] {
  const turns: { trained: boolean; text: string }[] = [];
  for (const { weight, text } of pieces) {
    const last = turns.at(-1);
    if (last?.trained === weight > 0) last.text += text;
    else turns.push({ trained: weight > 0, text });
  }
  return turns;
}

/** Problem of a row that its trainer would read differently in this layout. */
export function cannotWrite(problem: string): RowProblem {
  return { path: '', code: 'cannot_write', problem };
}
