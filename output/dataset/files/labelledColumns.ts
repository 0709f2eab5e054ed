import { Field, Float32, Int8, Int32, Int64, Schema } from 'apache-arrow';
import { ignoredLabel } from '../../../schemas/trainers/huggingFace.ts';
import { tokenWeights } from '../../rows/segmentWeights.ts';
import type { TokenisedRow } from '../../rows/tokeniseRow.ts';
import { float32Lists, int8Lists, int32Lists, int64ListsOf32, listOf } from './listColumns.ts';
import type { RowColumns } from './rowBatches.ts';

const inputIds = listOf(new Int32());
const attentionMask = listOf(new Int8());
const labels = listOf(new Int64());

/** Bytes of a token in the three columns. */
const bytesPerToken = 4 + 1 + 8;

/** `input_ids`, `attention_mask`, `labels`: what Hugging Face's collators take as it is. */
export const labelledColumns: RowColumns<Pick<TokenisedRow, 'inputIds' | 'lossMask'>> = {
  schema: new Schema([
    Field.new({ name: 'input_ids', type: inputIds }),
    Field.new({ name: 'attention_mask', type: attentionMask }),
    Field.new({ name: 'labels', type: labels }),
  ]),
  columnsOf: (rows) => [
    int32Lists(
      inputIds,
      rows.map((row) => row.inputIds),
    ),
    int8Lists(
      attentionMask,
      rows.map((row) => new Int8Array(row.inputIds.length).fill(1)),
    ),
    int64ListsOf32(labels, rows.map(labelsOf)),
  ],
  tokensOf: (row) => row.inputIds.length,
  bytesOf: (row) => row.inputIds.length * bytesPerToken,
};

/** The ids where they are trained, the ignored label elsewhere. */
function labelsOf({ inputIds, lossMask }: Pick<TokenisedRow, 'inputIds' | 'lossMask'>): Int32Array {
  return inputIds.map((id, at) => (lossMask[at] === 1 ? id : ignoredLabel));
}

const lossWeights = listOf(new Float32());
const bytesPerWeight = 4;

/** {@link labelledColumns} and the loss weight of every token, `loss_weights`. */
export const weightedColumns: RowColumns<Pick<TokenisedRow, 'inputIds' | 'lossMask' | 'weights'>> = {
  schema: new Schema([
    ...labelledColumns.schema.fields,
    Field.new({ name: 'loss_weights', type: lossWeights }),
  ]),
  columnsOf: (rows) => [
    ...labelledColumns.columnsOf(rows),
    float32Lists(lossWeights, rows.map(tokenWeights)),
  ],
  tokensOf: labelledColumns.tokensOf,
  bytesOf: (row) => labelledColumns.bytesOf(row) + row.inputIds.length * bytesPerWeight,
};
