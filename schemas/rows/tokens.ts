import { z } from 'zod';
import { rowOfTurns } from './chatTurns.ts';
import { type DatasetRow, isProblem, type RowPiece, type RowProblem, type RowTokens } from './datasetRow.ts';
import { has, type RowCodec, readColumns, rowOfPieces } from './rowCodec.ts';

/** Label of an untrained token: PyTorch's `ignore_index`. */
export const ignoredLabel = -100;

/** Numbers in lists or in the typed arrays of Parquet and Arrow, whose 64-bit integers are bigints. */
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
  reads: ['input_ids', 'labels', 'loss_mask', 'attention_mask', 'loss_weights', 'messages'],
  recognises: (raw) => has(raw, 'input_ids'),
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
      const words = has(raw, 'messages') ? rowOfTurns(raw, 'tokens', 'messages') : undefined;
      return inTokens(words && !isProblem(words) ? words : rowOfPieces(raw, 'tokens', 'tokens', []), tokens);
    }),
};

/** Text content of a row whose mask belongs to its ids and cannot be derived from the text. */
export function inTokens(row: DatasetRow, tokens: RowTokens): DatasetRow {
  return { ...row, format: 'tokens', maskedBy: 'tokens', pieces: [], tokens };
}

/** Loss weight of each token: 1 or 0 by its label, or from the mask or weights. */
export function tokenWeights({ ids, labels, lossMask, lossWeights }: RowTokens): number[] {
  const given = lossWeights ?? (labels ? undefined : lossMask);
  return ids.map((_, at) =>
    given ? (given[at] ?? 0) : Number(labels?.[at] !== undefined && labels[at] !== ignoredLabel),
  );
}

/**
 * Adds the text of a token row: neighbouring tokens with equal training form a piece. Other rows are unchanged.
 * @param decode the text of a whole row's ids; undefined where they are ids of another tokenizer
 */
export async function withTokenText(row: DatasetRow, decode: Decode): Promise<DatasetRow | RowProblem> {
  const { tokens, pair } = row;
  if (pair) {
    const [chosen, rejected] = [
      await withTokenText(pair.chosen, decode),
      await withTokenText(pair.rejected, decode),
    ];
    if (isProblem(chosen)) return chosen;
    return isProblem(rejected) ? rejected : { ...row, pair: { chosen, rejected } };
  }
  if (!tokens || row.pieces.length > 0) return row;
  const pieces: RowPiece[] = [];
  for (const { ids, isTrained } of stretchesOf(tokens)) {
    const text = await decode(ids);
    if (text === undefined && row.text !== null) return row;
    if (text === undefined)
      return {
        path: 'input_ids',
        code: 'foreign_ids',
        problem: 'expected ids of the tokenizer that is used here',
      };
    pieces.push(pieceOf(text, isTrained, pieces.length === 0));
  }
  const { question, profile, gold } = row;
  return { ...rowOfPieces({ profile }, 'tokens', 'tokens', pieces), question, gold, tokens };
}

type Decode = (ids: readonly number[]) => Promise<string | undefined>;

function stretchesOf(tokens: RowTokens): { ids: number[]; isTrained: boolean }[] {
  const stretches: { ids: number[]; isTrained: boolean }[] = [];
  for (const [at, weight] of tokenWeights(tokens).entries()) {
    const last = stretches.at(-1);
    if (last?.isTrained === weight > 0) last.ids.push(tokens.ids[at]!);
    else stretches.push({ ids: [tokens.ids[at]!], isTrained: weight > 0 });
  }
  return stretches;
}

function pieceOf(text: string, isTrained: boolean, isFirst: boolean): RowPiece {
  if (isTrained) return { text, role: 'assistant', origin: 'model', weight: 1 };
  return isFirst
    ? { text, role: 'user', origin: 'prompt', weight: 0 }
    : { text, role: 'tool', origin: 'environment', weight: 0 };
}
