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
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { pairSides } from '../../../schemas/rows/datasetRow.ts';
import { ignoredLabel } from '../../../schemas/rows/tokens.ts';
import type { TokenisedRow } from '../../rows/tokeniseRow.ts';
import type { DatasetPair } from '../datasetFormat.ts';

export interface Column<Row> {
  readonly field: Field;
  dataOf(rows: readonly Row[]): Data;
  /** Uncompressed bytes of a row in this column, for sizing files. */
  bytesOf(row: Row): number;
}

/** Conversion of rows of one kind to columns. */
export interface RowColumns<Row> {
  readonly columns: readonly Column<Row>[];
  /** Tokens of a row, for sizing batches. */
  tokensOf(row: Row): number;
}

export function namesOf<Row>({ columns }: RowColumns<Row>): string[] {
  return columns.map(({ field }) => field.name);
}

/** Arrow list type with non-null elements; `item` is the element's name in Arrow's own libraries. */
export function listOf<T extends DataType>(type: T): List<T> {
  return new List(Field.new({ name: 'item', type, nullable: false }));
}

export function valueColumn<Row>(field: Field, cellOf: (row: Row) => unknown): Column<Row> {
  return {
    field,
    dataOf: (rows) => vectorFromArray(rows.map(cellOf), field.type as DataType).data[0]!,
    bytesOf: (row) => bytesIn(cellOf(row)),
  };
}

export function textColumn<Row>(name: string, textOf: (row: Row) => string): Column<Row> {
  return valueColumn(Field.new({ name, type: new Utf8() }), textOf);
}

function bytesIn(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce<number>((sum, member) => sum + bytesIn(member), 0);
}

/**
 * Column with a number per token.
 *
 * @param element - Type of the numbers. `Int64` values are given in 32 bits, since a BigInt per token would take longer
 * than all the rest.
 */
export function tokenColumn<Row extends Pick<TokenisedRow, 'inputIds'>>(
  name: string,
  element: Int8 | Int32 | Int64 | Float32,
  valuesOf: (row: Row) => Int8Array | Int32Array | Float32Array,
): Column<Row> {
  const type = listOf(element as DataType);
  return {
    field: Field.new({ name, type }),
    dataOf: (rows) => {
      const lists = rows.map(valuesOf);
      const valueOffsets = new Int32Array(lists.length + 1);
      for (const [at, list] of lists.entries()) valueOffsets[at + 1] = valueOffsets[at]! + list.length;
      const child = numberData(element, lists, valueOffsets);
      return makeData({ type, length: lists.length, nullCount: 0, valueOffsets, child });
    },
    bytesOf: ({ inputIds }) => inputIds.length * element.ArrayType.BYTES_PER_ELEMENT,
  };
}

function numberData(
  element: Int8 | Int32 | Int64 | Float32,
  lists: readonly (Int8Array | Int32Array | Float32Array)[],
  starts: Int32Array,
): Data {
  const length = starts.at(-1)!;
  const values = element instanceof Int64 ? new Int32Array(length) : new element.ArrayType(length);
  for (const [at, list] of lists.entries()) values.set(list, starts[at]!);
  const data = element instanceof Int64 ? widened(values as Int32Array) : values;
  return makeData({ type: element as Int32, length, nullCount: 0, data: data as Int32Array });
}

/** Widens to 64 bits in Arrow's byte order, low half first. */
function widened(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const halves = new Int32Array(wide.buffer);
  for (let at = 0; at < values.length; at++) {
    halves[2 * at] = values[at]!;
    halves[2 * at + 1] = values[at]! >> 31;
  }
  return wide;
}

export type LabelledRow = Pick<TokenisedRow, 'inputIds' | 'lossMask'>;

export function labelledRow({ inputIds, lossMask }: LabelledRow): LabelledRow {
  return { inputIds, lossMask };
}

/** `input_ids`, `attention_mask`, `labels`, as accepted by Hugging Face's collators. */
export const labelledColumns: RowColumns<LabelledRow> = {
  columns: [
    tokenColumn('input_ids', new Int32(), ({ inputIds }) => inputIds),
    tokenColumn('attention_mask', new Int8(), ({ inputIds }) => new Int8Array(inputIds.length).fill(1)),
    // The id for trained tokens, otherwise the ignored label.
    tokenColumn('labels', new Int64(), ({ inputIds, lossMask }) =>
      inputIds.map((id, at) => (lossMask[at] === 1 ? id : ignoredLabel)),
    ),
  ],
  tokensOf: ({ inputIds }) => inputIds.length,
};

export type LabelledPair = Readonly<Record<keyof DatasetPair, LabelledRow>>;

export function labelledPair({ chosen, rejected }: DatasetPair): LabelledPair {
  return { chosen: labelledRow(chosen), rejected: labelledRow(rejected) };
}

/** `chosen_input_ids`, `chosen_attention_mask`, `chosen_labels` and the same for `rejected`, among other columns. */
export function pairColumns<Pair extends LabelledPair>(
  before: readonly Column<Pair>[],
  after: readonly Column<Pair>[],
): RowColumns<Pair> {
  const sides = pairSides.flatMap((side) =>
    labelledColumns.columns.map(
      ({ field, dataOf, bytesOf }): Column<Pair> => ({
        field: Field.new({ name: `${side}_${field.name}`, type: field.type }),
        dataOf: (rows) => dataOf(rows.map((row) => row[side])),
        bytesOf: (row) => bytesOf(row[side]),
      }),
    ),
  );
  return {
    columns: [...before, ...sides, ...after],
    tokensOf: ({ chosen, rejected }) => chosen.inputIds.length + rejected.inputIds.length,
  };
}
