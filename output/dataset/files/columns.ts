import {
  type Data,
  type DataType,
  Field,
  type Float32,
  Int8,
  Int32,
  Int64,
  List,
  makeData,
  Null,
  Utf8,
} from 'apache-arrow';
import { ignoredLabel } from '../../../schemas/trainers/huggingFace.ts';
import type { TokenisedRow } from '../../rows/tokeniseRow.ts';

/** A column of a binary file. */
export interface Column<Row> {
  readonly field: Field;
  dataOf(rows: readonly Row[]): Data;
  /** Bytes that a row takes in it before compression, by which files are filled. */
  bytesOf(row: Row): number;
}

/** How rows of one kind become the columns of a binary file. */
export interface RowColumns<Row> {
  readonly columns: readonly Column<Row>[];
  /** Tokens of a row, by which batches are filled. */
  tokensOf(row: Row): number;
  /** Bytes that a row takes in all columns; default: their sum. */
  readonly bytesOf?: (row: Row) => number;
}

/** Arrow's list type with elements that are never null; `item` is the element's name in Arrow's own libraries. */
export function listOf<T extends DataType>(type: T): List<T> {
  return new List(Field.new({ name: 'item', type, nullable: false }));
}

export function textColumn<Row>(name: string, textOf: (row: Row) => string): Column<Row> {
  return {
    field: Field.new({ name, type: new Utf8() }),
    dataOf: (rows) => textData(rows.map(textOf)),
    bytesOf: (row) => Buffer.byteLength(textOf(row)),
  };
}

export function textData(texts: readonly string[]): Data<Utf8> {
  const bytes = texts.map((text) => Buffer.from(text));
  return makeData({
    type: new Utf8(),
    length: texts.length,
    nullCount: 0,
    valueOffsets: offsetsOf(bytes),
    data: Buffer.concat(bytes),
  });
}

/** A column of lists, from all their elements in one column and the lists themselves, which only give lengths. */
export function listData<T extends DataType>(
  lists: readonly { readonly length: number }[],
  child: Data<T>,
): Data<List<T>> {
  const valueOffsets = offsetsOf(lists);
  return makeData({ type: listOf(child.type), length: lists.length, nullCount: 0, valueOffsets, child });
}

/** Where each list begins, and after the last where it ends. */
function offsetsOf(lists: readonly { readonly length: number }[]): Int32Array {
  const offsets = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => {
    offsets[index + 1] = offsets[index]! + list.length;
  });
  return offsets;
}

/** A row's ids, as columns of tokens need them. */
type Ids = Pick<TokenisedRow, 'inputIds'>;

/**
 * A column with a number for every token.
 *
 * @param element - Type of the numbers. For `Int64` they come in 32 bits: a BigInt for each would take longer than all
 *   the rest.
 */
export function tokenColumn<Row extends Ids>(
  name: string,
  element: Int8 | Int32 | Int64 | Float32,
  valuesOf: (row: Row) => Int8Array | Int32Array | Float32Array,
): Column<Row> {
  return {
    field: Field.new({ name, type: listOf(element) }),
    dataOf: (rows) => {
      const lists = rows.map(valuesOf);
      return listData(lists, numberData(element, lists));
    },
    bytesOf: ({ inputIds }) => inputIds.length * element.ArrayType.BYTES_PER_ELEMENT,
  };
}

function numberData(
  element: Int8 | Int32 | Int64 | Float32,
  lists: readonly (Int8Array | Int32Array | Float32Array)[],
): Data {
  const length = lists.reduce((sum, list) => sum + list.length, 0);
  const values = element instanceof Int64 ? new Int32Array(length) : new element.ArrayType(length);
  let at = 0;
  for (const list of lists) {
    values.set(list, at);
    at += list.length;
  }
  const data = element instanceof Int64 ? widened(values as Int32Array) : values;
  return makeData({ type: element as Int32, length, nullCount: 0, data: data as Int32Array });
}

/** The same numbers in 64 bits: as Arrow has them everywhere, the low half first. */
function widened(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const halves = new Int32Array(wide.buffer);
  for (let at = 0; at < values.length; at++) {
    halves[2 * at] = values[at]!;
    halves[2 * at + 1] = values[at]! >> 31;
  }
  return wide;
}

/** Ids and mask of a row. */
export type LabelledRow = Pick<TokenisedRow, 'inputIds' | 'lossMask'>;

/** What of a row stands in columns of ids and labels. */
export function labelledRow({ inputIds, lossMask }: LabelledRow): LabelledRow {
  return { inputIds, lossMask };
}

/** `input_ids`, `attention_mask`, `labels`: what Hugging Face's collators take as it is. */
const labelled: readonly Column<LabelledRow>[] = [
  tokenColumn('input_ids', new Int32(), ({ inputIds }) => inputIds),
  tokenColumn('attention_mask', new Int8(), ({ inputIds }) => new Int8Array(inputIds.length).fill(1)),
  // The ids where they are trained, the ignored label elsewhere.
  tokenColumn('labels', new Int64(), ({ inputIds, lossMask }) =>
    inputIds.map((id, at) => (lossMask[at] === 1 ? id : ignoredLabel)),
  ),
];

/** {@link labelled} as the columns of a file. */
export const labelledColumns: RowColumns<LabelledRow> = {
  columns: labelled,
  tokensOf: ({ inputIds }) => inputIds.length,
};

/** {@link labelled} of a part of the row, named by it. */
export function labelledOf<Side extends string>(side: Side): Column<Readonly<Record<Side, LabelledRow>>>[] {
  return labelled.map(({ field, dataOf, bytesOf }) => ({
    field: Field.new({ name: `${side}_${field.name}`, type: field.type }),
    dataOf: (rows) => dataOf(rows.map((row) => row[side])),
    bytesOf: (row) => bytesOf(row[side]),
  }));
}

/** A column without values. */
export function emptyColumn<Row>(name: string): Column<Row> {
  return {
    field: Field.new({ name, type: new Null() }),
    dataOf: (rows) => makeData({ type: new Null(), length: rows.length }),
    bytesOf: () => 0,
  };
}

/** Names of columns, in their order. */
export function namesOf<Row>({ columns }: RowColumns<Row>): string[] {
  return columns.map(({ field }) => field.name);
}
