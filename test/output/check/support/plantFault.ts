import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type DataType,
  Field,
  Int32,
  Int64,
  List,
  Struct,
  Table,
  tableToIPC,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { Table as ParquetTable, writeParquet } from 'parquet-wasm';
import type { Manifest } from '../../../../schemas/manifest.ts';
import { readRowsHere } from './readRowsHere.ts';

/** A row of `tokenized/` or `verl/` with plain numbers. */
export interface IdRow {
  input_ids: number[];
  attention_mask?: number[];
  labels?: number[];
  loss_mask?: number[];
  messages?: { role: string; content: string }[];
}

/** Rows of any format of a dataset. */
export async function rowsOf<Row>(folder: string, file: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of readRowsHere(path.join(folder, file))) {
    if ('problem' in row) throw new Error(`${file}: ${row.problem}`);
    rows.push(row.value as Row);
  }
  return rows;
}

/** Changes the rows of a file as a bug of the exporter would: the manifest describes the changed file. */
export async function plantFault<Row>(
  folder: string,
  file: string,
  change: (rows: Row[]) => Row[] | Promise<Row[]>,
): Promise<void> {
  const rows = await change(await rowsOf<Row>(folder, file));
  writeFileSync(path.join(folder, file), encode(file, rows));
  rehash(folder, file);
}

function encode(file: string, rows: readonly unknown[]): string | Uint8Array {
  if (file.endsWith('.jsonl')) return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  if (file.endsWith('.json')) return JSON.stringify(rows);
  const ipc = tableToIPC(idTable(rows as readonly IdRow[]), 'stream');
  return file.endsWith('.arrow') ? ipc : writeParquet(ParquetTable.fromIPCStream(ipc));
}

function idTable(rows: readonly IdRow[]): Table {
  const message = new Struct([new Field('role', new Utf8()), new Field('content', new Utf8())]);
  const columns = new Map<string, Vector>();
  const add = (name: keyof IdRow, type: DataType, value = (row: IdRow): unknown => row[name]): void => {
    if (rows[0]?.[name] !== undefined)
      columns.set(name, vectorFromArray(rows.map(value), new List(new Field('item', type))));
  };
  add('messages', message);
  add('input_ids', new Int32());
  add('attention_mask', new Int32());
  add('labels', new Int64(), (row) => row.labels?.map(BigInt));
  add('loss_mask', new Int32());
  return new Table(Object.fromEntries(columns));
}

/** Makes the manifest describe a file's bytes as they are now. */
export function rehash(folder: string, file: string): void {
  const place = path.join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(place, 'utf8')) as Manifest;
  const bytes = readFileSync(path.join(folder, file));
  const listed = manifest.files.find((each) => each.path === file)!;
  listed.sha256 = createHash('sha256').update(bytes).digest('hex');
  listed.bytes = bytes.length;
  writeFileSync(place, JSON.stringify(manifest));
}
