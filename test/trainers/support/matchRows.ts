import type { TokenisedRow } from '../../../output/rows/tokeniseRow.ts';
import { ignoredLabel } from '../../../schemas/rows/tokens.ts';
import type { LabelledRow } from './savedRows.ts';

/** Our row as a trainer should see it. */
export function labelledRow({ inputIds, lossMask }: TokenisedRow): LabelledRow {
  return {
    input_ids: Array.from(inputIds),
    labels: Array.from(inputIds, (id, token) => (lossMask[token] === 1 ? id : ignoredLabel)),
  };
}

/** Rows in an order of their own: trainers shuffle, and what counts is which rows they saw. */
export function inOrder(rows: readonly LabelledRow[]): LabelledRow[] {
  const key = (row: LabelledRow): string => row.input_ids.join(' ');
  return rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
