import { z } from 'zod';
import type { RowPiece } from './datasetRow.ts';
import { has, type RowCodec, readColumns, rowOfPieces } from './rowCodec.ts';

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
  recognise: (raw) => (has(raw, 'instruction') ? 'certain' : 'no'),
  read: (raw) =>
    readColumns(schema, raw, ({ instruction, input, output, system }) =>
      rowOfPieces(raw, 'alpaca', output == null ? 'nothing' : 'fork', [
        ...(system === '' ? [] : [promptPiece('system', system)]),
        promptPiece('user', input === '' ? instruction : `${instruction}\n${input}`),
        ...(output == null ? [] : [{ text: output, role: 'assistant', origin: 'model', weight: 1 } as const]),
      ]),
    ),
  replaceText: (raw, output) => ({ ...raw, output }),
};

function promptPiece(role: 'system' | 'user', text: string): RowPiece {
  return { text, role, origin: 'prompt', weight: 0 };
}
