import {
  type Data,
  type DataType,
  Field,
  Float32,
  Int8,
  Int32,
  Int64,
  List,
  makeData,
  Schema,
  Utf8,
} from 'apache-arrow';
import { ignoredLabel } from '../../../schemas/trainers/huggingFace.ts';
import { tokenWeights } from '../../rows/segmentWeights.ts';
import type { TokenisedRow } from '../../rows/tokeniseRow.ts';
import type { RowColumns } from './columnFiles.ts';

/** Arrow's list type with elements that are never null; `item` is the element's name in Arrow's own libraries. */
export function listOf<T extends DataType>(type: T): List<T> {
  return new List(Field.new({ name: 'item', type, nullable: false }));
}

export function stringColumn(strings: readonly string[]): Data<Utf8> {
  const bytes = strings.map((text) => Buffer.from(text));
  return makeData({
    type: new Utf8(),
    length: strings.length,
    nullCount: 0,
    valueOffsets: offsetsOf(bytes),
    data: Buffer.concat(bytes),
  });
}

/** A column of lists, from all their elements in one column and the lists themselves, which only give lengths. */
export function listColumn<T extends DataType>(
  type: List<T>,
  lists: readonly { readonly length: number }[],
  child: Data<T>,
): Data<List<T>> {
  return makeData({
    type,
    length: lists.length,
    nullCount: 0,
    valueOffsets: offsetsOf(lists),
    child,
  });
}

/** Where each list begins, and after the last where it ends. */
function offsetsOf(lists: readonly { readonly length: number }[]): Int32Array {
  const offsets = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => {
    offsets[index + 1] = offsets[index]! + list.length;
  });
  return offsets;
}

/** A column of 8-bit lists. */
export function int8Lists(type: List<Int8>, lists: readonly Int8Array[]): Data<List<Int8>> {
  const values = fill(new Int8Array(totalLength(lists)), lists);
  return listColumn(
    type,
    lists,
    makeData({ type: new Int8(), length: values.length, nullCount: 0, data: values }),
  );
}

/** A column of 32-bit lists. */
export function int32Lists(type: List<Int32>, lists: readonly Int32Array[]): Data<List<Int32>> {
  const values = fill(new Int32Array(totalLength(lists)), lists);
  return listColumn(
    type,
    lists,
    makeData({ type: new Int32(), length: values.length, nullCount: 0, data: values }),
  );
}

/** A column of 64-bit lists of numbers that fit into 32 bits: a BigInt for each would take longer than all the rest. */
function int64ListsOf32(type: List<Int64>, lists: readonly Int32Array[]): Data<List<Int64>> {
  const values = widened(fill(new Int32Array(totalLength(lists)), lists));
  return listColumn(
    type,
    lists,
    makeData({ type: new Int64(), length: values.length, nullCount: 0, data: values }),
  );
}

/** The same numbers in 64 bits: as Arrow has them everywhere, the low half first. */
function widened(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const halves = new Int32Array(wide.buffer);
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    halves[2 * at] = value;
    halves[2 * at + 1] = value >> 31;
  }
  return wide;
}

function totalLength(lists: readonly { readonly length: number }[]): number {
  return lists.reduce((sum, list) => sum + list.length, 0);
}

function fill<A extends { set(list: A, at: number): void; readonly length: number }>(
  target: A,
  lists: readonly A[],
): A {
  let at = 0;
  for (const list of lists) {
    target.set(list, at);
    at += list.length;
  }
  return target;
}

/** A column of lists of 32-bit floating-point numbers. */
export function float32Lists(type: List<Float32>, lists: readonly Float32Array[]): Data<List<Float32>> {
  const values = new Float32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    values.set(list, at);
    at += list.length;
  }
  return listColumn(
    type,
    lists,
    makeData({ type: new Float32(), length: values.length, nullCount: 0, data: values }),
  );
}

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
