import { pairSides } from '../../../schemas/audit.ts';
import type { DatasetPair } from '../datasetFormat.ts';
import { type Column, type LabelledRow, labelledOf, labelledRow, type RowColumns } from '../files/columns.ts';

/** The ids and masks of a pair. */
export type LabelledPair = Readonly<Record<keyof DatasetPair, LabelledRow>>;

/** What of a pair stands in columns of ids and labels. */
export function labelledPair({ chosen, rejected }: DatasetPair): LabelledPair {
  return { chosen: labelledRow(chosen), rejected: labelledRow(rejected) };
}

/** `chosen_input_ids`, `chosen_attention_mask`, `chosen_labels` and the same of `rejected`, among other columns. */
export function pairColumns<Pair extends LabelledPair>(
  before: readonly Column<Pair>[],
  after: readonly Column<Pair>[],
): RowColumns<Pair> {
  return {
    columns: [...before, ...pairSides.flatMap((side) => labelledOf(side)), ...after],
    tokensOf: ({ chosen, rejected }) => chosen.inputIds.length + rejected.inputIds.length,
  };
}
