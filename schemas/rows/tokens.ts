import { z } from 'zod';
import type { DatasetRow, RowPiece, RowTokens } from './datasetRow.ts';
import { has, type RowCodec, readColumns, rowOfPieces } from './rowCodec.ts';

/** The label of a token that is not trained: PyTorch's `ignore_index`. */
const ignoredLabel = -100;

/** Parquet and Arrow have typed arrays, and 64-bit integers as bigint. */
const numbers = z
  .custom<Iterable<number | bigint>>(
    (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
    'expected a list of numbers',
  )
  .transform((list) => Array.from(list, Number))
  .refine((list) => list.every(Number.isFinite), 'expected numbers');
const optionalNumbers = numbers.nullish().transform((list) => list ?? undefined);

const schema = z.looseObject({
  input_ids: numbers,
  labels: optionalNumbers,
  loss_mask: optionalNumbers,
  attention_mask: optionalNumbers,
  loss_weights: optionalNumbers,
});

/** Rows in tokens: `datasets.load_from_disk` folders, TRL's and Axolotl's, and verl's with the mask beside the messages. */
export const tokensCodec: RowCodec = {
  name: 'tokens',
  columns: 'input_ids with labels or loss_mask',
  recognise: (raw) => (has(raw, 'input_ids') ? 'certain' : 'no'),
  read: (raw) =>
    readColumns(schema, raw, ({ input_ids: ids, labels, loss_mask, attention_mask, loss_weights }) => {
      if (!labels && !loss_mask)
        return {
          path: 'input_ids',
          code: 'no_mask',
          problem: 'stand without labels or loss_mask: nothing says what is trained',
        };
      const tokens = {
        ids,
        labels,
        lossMask: loss_mask,
        attentionMask: attention_mask,
        lossWeights: loss_weights,
      };
      return { ...rowOfPieces(raw, 'tokens', 'tokens', []), tokens };
    }),
};

/** The loss weight of each token: 1 or 0 by its label, or what the mask or the weights say. */
export function tokenWeights({ ids, labels, lossMask, lossWeights }: RowTokens): number[] {
  const given = lossWeights ?? (labels ? undefined : lossMask);
  return ids.map((_, at) =>
    given ? (given[at] ?? 0) : Number(labels?.[at] !== undefined && labels[at] !== ignoredLabel),
  );
}

/**
 * A row in tokens with its text: neighbouring tokens that are all trained or all not are a piece.
 *
 * @param decode the text of ids
 */
export async function withTokenText(
  row: DatasetRow,
  decode: (ids: readonly number[]) => Promise<string>,
): Promise<DatasetRow> {
  const { tokens, pair } = row;
  if (pair) {
    const [chosen, rejected] = await Promise.all(
      [pair.chosen, pair.rejected].map((side) => withTokenText(side, decode)),
    );
    return { ...row, pair: { chosen: chosen!, rejected: rejected! } };
  }
  if (!tokens || row.pieces.length > 0) return row;
  const weights = tokenWeights(tokens);
  const pieces: RowPiece[] = [];
  for (let from = 0; from < weights.length; ) {
    const isTrained = weights[from]! > 0;
    const next = weights.findIndex((weight, at) => at > from && weight > 0 !== isTrained);
    const to = next < 0 ? weights.length : next;
    pieces.push(pieceOf(await decode(tokens.ids.slice(from, to)), isTrained, from === 0));
    from = to;
  }
  const { question, profile, gold, system } = row;
  const read = rowOfPieces({ profile }, 'tokens', 'tokens', pieces);
  return { ...read, question, gold, system: read.system ?? system, tokens };
}

function pieceOf(text: string, isTrained: boolean, isFirst: boolean): RowPiece {
  if (isTrained) return { text, role: 'assistant', origin: 'model', weight: 1 };
  return isFirst
    ? { text, role: 'user', origin: 'prompt', weight: 0 }
    : { text, role: 'tool', origin: 'environment', weight: 0 };
}
