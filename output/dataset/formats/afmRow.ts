import { RecordFailure } from '../../../contract/errors.ts';
import { renderPrompt } from '../../../schemas/coa/profile.ts';
import type { AfmRow } from '../../../schemas/trainers/afmMask.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type { DatasetRow } from '../datasetFormat.ts';

/**
 * A row in AFM's columns, whose instruction and input together are the user turn.
 *
 * @throws RecordFailure for a prompt in which LLaMA-Factory, and so the fork, writes a number in place of `{{idx}}`
 */
export function afmRow({ rendered, profile }: Pick<DatasetRow, 'rendered' | 'profile'>): AfmRow {
  if (rendered.user.includes('{{idx}}'))
    throw new RecordFailure('internal', "AFM's fork would write a number in place of {{idx}} in the prompt");
  const { instruction, input, user } = renderPrompt(profile, rendered.question);
  const columns = user === rendered.user ? { instruction, input } : promptColumns(rendered);
  return { ...columns, output: outputText(rendered) };
}

/** The text of the assistant's turn. */
export function outputText({ segments }: Pick<Trajectory, 'segments'>): string {
  return segments.map((segment) => segment.text).join('');
}

/** The columns of a prompt that is not the profile's own, as imported rows have it: split where AFM splits it. */
function promptColumns({
  user,
  question,
}: Pick<Trajectory, 'user' | 'question'>): Pick<AfmRow, 'instruction' | 'input'> {
  const input = `Question: ${question}`;
  const instruction = user.slice(0, -input.length - 1);
  return instruction !== '' && user === `${instruction}\n${input}`
    ? { instruction, input }
    : { instruction: user, input: '' };
}
