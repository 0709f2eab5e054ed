import { z } from 'zod';
import { renderPrompt } from '../coa/profile.ts';
import type { AfmRow } from '../trainers/afmMask.ts';
import type { Trajectory } from '../trajectory.ts';
import type { RowPiece, RowProblem } from './datasetRow.ts';
import { has, type RowCodec, readColumns, rowOfPieces } from './rowCodec.ts';
import { answerText, cannotWrite, type RowToWrite } from './rowToWrite.ts';

/** Parquet has null where a row has no text. */
const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

const schema = z.looseObject({
  instruction: z.string(),
  input: optionalText,
  output: z.string().nullish(),
  system: optionalText,
});

/**
 * Alpaca's columns, AFM's released layout: the user turn is `instruction`, then `input` on a line of its own. AFM's fork
 * of LLaMA-Factory masks the observations in `output` by their tokens.
 */
export const alpacaCodec: RowCodec = {
  name: 'alpaca',
  columns: 'instruction, input and output',
  recognises: (raw) => has(raw, 'instruction'),
  read: (raw) =>
    readColumns(schema, raw, ({ instruction, input, output, system }) =>
      rowOfPieces(raw, 'alpaca', output == null ? 'nothing' : 'fork', [
        ...(system === '' ? [] : [promptPiece('system', system)]),
        promptPiece('user', input === '' ? instruction : `${instruction}\n${input}`),
        ...(output == null ? [] : [{ text: output, role: 'assistant', origin: 'model', weight: 1 } as const]),
      ]),
    ),
};

function promptPiece(role: 'system' | 'user', text: string): RowPiece {
  return { text, role, origin: 'prompt', weight: 0 };
}

/**
 * A row in AFM's columns, whose instruction and input together are the user turn. Its system turn is not said: the fork's
 * template writes Qwen's. LLaMA-Factory, and so the fork, writes a number in place of `{{idx}}` in a prompt.
 */
export function alpacaRow({
  rendered,
  profile,
}: Pick<RowToWrite, 'rendered' | 'profile'>): AfmRow | RowProblem {
  if (rendered.user.includes('{{idx}}'))
    return cannotWrite("AFM's fork would write a number in place of {{idx}} in the prompt");
  const { instruction, input, user } = renderPrompt(profile, rendered.question);
  const columns = user === rendered.user ? { instruction, input } : promptColumns(rendered);
  return { ...columns, output: answerText(rendered) };
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
