import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { Tokenizer } from '../../pipeline/contract/tokenizer.ts';
import { type Profile, renderPrompt } from '../../schemas/coa/profile.ts';
import type { AfmRow } from '../../schemas/trainers/afm.ts';
import { type LlamaFactoryRow, llamaFactoryRowSchema } from '../../schemas/trainers/llamaFactory.ts';
import type { Origin, Trajectory } from '../../schemas/trajectory.ts';
import { type Piece, rowPieces, rowTurns } from '../rows/rowPieces.ts';
import { tokeniseRow } from '../rows/tokeniseRow.ts';
import type { DatasetRow } from './datasetFormat.ts';

/**
 * Renders a trajectory for every format.
 *
 * @throws RecordFailure for a row that one of the formats can't say exactly
 */
export async function renderRow(
  trajectory: Trajectory,
  profile: Profile,
  tokenizer: Tokenizer,
): Promise<DatasetRow> {
  const pieces = rowPieces(trajectory);
  return {
    trajectory,
    afm: afmRow(trajectory, profile),
    llamaFactory: llamaFactoryRow(pieces),
    ...(await tokeniseRow(pieces, tokenizer)),
  };
}

/** The text of the assistant's turn. */
export function outputText(trajectory: Pick<Trajectory, 'segments'>): string {
  return trajectory.segments.map((segment) => segment.text).join('');
}

/** The row in AFM's columns, whose instruction and input together are the user turn. */
export function afmRow(trajectory: Trajectory, profile: Profile): AfmRow {
  const { instruction, input, user } = renderPrompt(profile, trajectory.question);
  const columns = user === trajectory.user ? { instruction, input } : promptColumns(trajectory);
  return { ...columns, output: outputText(trajectory) };
}

/** The columns of a prompt that is not the profile's own, as imported rows have it: split where AFM splits it. */
function promptColumns({ user, question }: Trajectory): Pick<AfmRow, 'instruction' | 'input'> {
  const input = `Question: ${question}`;
  const instruction = user.slice(0, -input.length - 1);
  return instruction !== '' && user === `${instruction}\n${input}`
    ? { instruction, input }
    : { instruction: user, input: '' };
}

const speakers = { prompt: 'human', environment: 'observation', model: 'gpt' } as const satisfies Record<
  Origin,
  string
>;

/** The row in LLaMA-Factory's turns, from the pieces that also give its ids and mask. */
export function llamaFactoryRow(pieces: readonly Piece[]): LlamaFactoryRow {
  const conversations = rowTurns(pieces).map(({ origin, text }) => ({ from: speakers[origin], value: text }));
  const parsed = llamaFactoryRowSchema.safeParse({ conversations });
  if (parsed.success) return parsed.data;
  throw new RecordFailure('internal', 'the turns do not alternate between the model and others', {
    turns: conversations.map((turn) => turn.from).join(' '),
  });
}
