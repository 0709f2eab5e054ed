import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  Dictionary,
  Field,
  Int16,
  Int64,
  List,
  Schema,
  Struct,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { ParquetFile, Table as WasmTable, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm';
import { expect, test } from 'vitest';
import { ParquetSink } from '../../../operations/standalone/parquetSink.ts';
import type { SourceRow } from '../../../operations/standalone/sourceRow.ts';
import { cases } from '../../support/cases.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const turn = new Struct<{ role: Utf8; content: Utf8 }>([
  Field.new({ name: 'role', type: new Utf8() }),
  Field.new({ name: 'content', type: new Utf8(), nullable: true }),
]);
const list = <T extends Utf8 | Int16 | typeof turn>(type: T) =>
  new List(Field.new({ name: 'item', type, nullable: true }));
const count = 23;
const rowsInGroup = 5;

/** A parquet file of five row groups whose columns have types that JSON does not. */
function parquetFile(folder: string, name = 'in.parquet'): string {
  const at = Array.from({ length: count }, (_, row) => row);
  const columns = {
    id: vectorFromArray(
      at.map((row) => 2n ** 60n + BigInt(row)),
      new Int64(),
    ),
    text: vectorFromArray(
      at.map((row) => (row % 4 === 0 ? null : `text ${row}`)),
      new Utf8(),
    ),
    kind: vectorFromArray(
      at.map((row) => `k${row % 3}`),
      new Dictionary(new Utf8(), new Int16()),
    ),
    messages: vectorFromArray(
      at.map((row) => [
        { role: 'user', content: `q${row}` },
        { role: 'assistant', content: null },
      ]),
      list(turn),
    ),
    numbers: vectorFromArray(
      at.map((row) => (row % 5 === 0 ? [] : [row, row + 1])),
      list(new Int16()),
    ),
  };
  const table = new Table(columns);
  const schema = new Schema(table.schema.fields, new Map([['huggingface', '{"info": {"features": {}}}']]));
  const ipc = tableToIPC(new Table(schema, table.batches), 'stream');
  const properties = new WriterPropertiesBuilder().setMaxRowGroupSize(rowsInGroup).build();
  const file = path.join(folder, name);
  writeFileSync(file, writeParquet(WasmTable.fromIPCStream(ipc), properties));
  return file;
}

async function readBack(file: string) {
  const parquet = await ParquetFile.fromFile(new Blob([readFileSync(file)]));
  const { schema } = tableFromIPC(parquet.schema().intoIPCStream());
  const table = tableFromIPC((await parquet.read()).intoIPCStream());
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  return {
    columns: schema.fields.map(String),
    metadata: [...schema.metadata].filter(([key]) => key === 'huggingface'),
    rows: table.toArray().map((row) => JSON.stringify(row, text)),
  };
}

const sourceRow = (file: string, row: number): SourceRow => ({
  index: row,
  file,
  row: row + 1,
  line: null,
  bytesRead: 0,
  value: null,
  said: { path: '', code: 'unread', problem: 'unread' },
});

test('the rows that are picked, so many times, with the schema and metadata of the file', async () => {
  const times = fc.array(fc.constantFrom(0, 0, 1, 1, 3), { minLength: 2 * count, maxLength: 2 * count });
  await fc.assert(
    fc.asyncProperty(times, async (picks) => {
      const folder = temporaryFolder();
      const files = [parquetFile(folder), parquetFile(folder, 'second.parquet')];
      const out = path.join(folder, 'out.parquet');
      const sink = await ParquetSink.create(out, files);
      for (const [at, repeats] of picks.entries()) {
        if (repeats > 0) await sink.write(sourceRow(files[Math.floor(at / count)]!, at % count), repeats);
      }
      await sink.close();
      await sink.commit();
      await sink.discard();
      const whole = await readBack(files[0]!);
      const written = await readBack(out);
      expect(whole.metadata).toHaveLength(1);
      expect({ ...written, rows: [] }).toEqual({ ...whole, rows: [] });
      expect(written.rows).toEqual(
        picks.flatMap((repeats, at) => Array.from({ length: repeats }, () => whole.rows[at % count])),
      );
    }),
    { numRuns: cases(10) },
  );
});

test('a file without rows has the columns', async () => {
  const folder = temporaryFolder();
  const file = parquetFile(folder);
  const sink = await ParquetSink.create(path.join(folder, 'out.parquet'), [file]);
  await sink.close();
  await sink.commit();
  const { columns, rows } = await readBack(path.join(folder, 'out.parquet'));
  expect({ columns, rows }).toEqual({ columns: (await readBack(file)).columns, rows: [] });
});

test('files with other columns are refused, and nothing is written', async () => {
  const folder = temporaryFolder();
  const file = parquetFile(folder);
  const other = path.join(folder, 'other.parquet');
  const ipc = tableToIPC(new Table({ text: vectorFromArray(['a'], new Utf8()) }), 'stream');
  writeFileSync(other, writeParquet(WasmTable.fromIPCStream(ipc)));
  await expect(ParquetSink.create(path.join(folder, 'out.parquet'), [file, other])).rejects.toThrow(
    /other\.parquet: expected the columns of .*in\.parquet \(id: Int64, .*\), found text: Utf8/,
  );
  expect(readdirSync(folder).sort()).toEqual(['in.parquet', 'other.parquet']);
});
