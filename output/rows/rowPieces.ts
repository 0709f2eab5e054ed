import type { Origin, Trajectory } from '../../schemas/trajectory.ts';

/** A stretch of a row that one party wrote: ordinary text, or one control token of the chat markup. */
export interface Piece {
  readonly kind: 'text' | 'control';
  readonly text: string;
  /** Only `model` is trained. */
  readonly origin: Origin;
}

const turnStart = '<|im_start|>';
const turnEnd = '<|im_end|>';

/** The control tokens that {@link rowPieces} writes. */
export const chatMlControls = [turnStart, turnEnd] as const;

/**
 * A row as ChatML (Qwen's chat markup), in order. Every format of the dataset is derived from this list: the row's
 * text is its texts joined, its ids are theirs joined, its mask is the origins. The markup that closes the
 * assistant's turn is the model's: it must learn to stop.
 */
export function rowPieces(trajectory: Pick<Trajectory, 'system' | 'user' | 'segments'>): Piece[] {
  return [
    ...promptTurn('system', trajectory.system),
    ...promptTurn('user', trajectory.user),
    { kind: 'control', text: turnStart, origin: 'prompt' },
    { kind: 'text', text: 'assistant\n', origin: 'prompt' },
    ...trajectory.segments.map(({ text, origin }): Piece => ({ kind: 'text', text, origin })),
    { kind: 'control', text: turnEnd, origin: 'model' },
    { kind: 'text', text: '\n', origin: 'model' },
  ];
}

function promptTurn(role: string, text: string): Piece[] {
  return [
    { kind: 'control', text: turnStart, origin: 'prompt' },
    { kind: 'text', text: `${role}\n${text}`, origin: 'prompt' },
    { kind: 'control', text: turnEnd, origin: 'prompt' },
    { kind: 'text', text: '\n', origin: 'prompt' },
  ];
}

/** Neighbouring pieces of one origin as one text: the turns of a text format whose trainer masks by turn. */
export function rowTurns(pieces: readonly Piece[]): { origin: Origin; text: string }[] {
  const turns: { origin: Origin; text: string }[] = [];
  for (const { origin, text } of pieces) {
    const last = turns.at(-1);
    if (last?.origin === origin) last.text += text;
    else turns.push({ origin, text });
  }
  return turns;
}
