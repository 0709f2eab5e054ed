import { z } from 'zod';
import { isJsonObject } from '../../base/json.ts';
import type { RowPiece } from './datasetRow.ts';
import { type RowCodec, readColumns, rowOfPieces } from './rowCodec.ts';
import { type RowToWrite, rowTurns } from './rowToWrite.ts';

const schema = z.looseObject({
  segments: z.array(z.looseObject({ label: z.boolean(), text: z.string() })).min(1),
});

/** Axolotl's `type: input_output`: texts in order, each encoded by itself, in the loss where its label is true. */
export const axolotlSegmentsCodec: RowCodec = {
  name: 'segments',
  columns: 'segments with label and text',
  reads: ['segments'],
  recognises: ({ segments }) => {
    const first = Array.isArray(segments) ? segments[0] : undefined;
    return isJsonObject(first) && 'label' in first;
  },
  read: (raw) =>
    readColumns(schema, raw, ({ segments }) =>
      rowOfPieces(raw, 'segments', 'segments', segments.map(pieceOf)),
    ),
};

/**
 * A row of `axolotl/segments/` for Axolotl's `type: input_output`: texts in order, each tokenised by itself without
 * added tokens, in the loss where its label is true.
 */
export const axolotlSegmentsRowSchema = z.strictObject({
  segments: z
    .array(z.strictObject({ label: z.boolean(), text: z.string().min(1) }))
    .min(2)
    .refine((segments) => segments.some(({ label }) => label), 'expected a segment that is trained')
    .refine(([first]) => first?.label === false, 'expected a beginning that is not trained'),
});
export type AxolotlSegmentsRow = z.infer<typeof axolotlSegmentsRowSchema>;

export function axolotlRow({ pieces }: Pick<RowToWrite, 'pieces'>): AxolotlSegmentsRow {
  return { segments: rowTurns(pieces).map(({ trained, text }) => ({ label: trained, text })) };
}

/** The first text is the prompt; later untrained text is most likely a tool's. */
function pieceOf({ label, text }: { label: boolean; text: string }, at: number): RowPiece {
  if (label) return { text, role: 'assistant', origin: 'model', weight: 1 };
  return at === 0
    ? { text, role: 'user', origin: 'prompt', weight: 0 }
    : { text, role: 'tool', origin: 'environment', weight: 0 };
}
