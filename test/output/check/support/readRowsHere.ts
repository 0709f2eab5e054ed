import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { StructRow, tableFromIPC, Vector } from 'apache-arrow';
import { parquetMetadata } from 'hyparquet';
import { rowBatches } from '../../../../base/parquet/rowBatches.ts';
import { plainCell } from '../../../../base/rows/plainCell.ts';
import { readRows, type SourceRow } from '../../../../output/check/datasetFiles.ts';

/**
 * Rows of a dataset file that we wrote ourselves, read in this process: the product starts one for each Arrow and
 * parquet file, which takes longer than most tests. For tests that are about what stands in rows, not about reading.
 */
export async function* readRowsHere(file: string): AsyncGenerator<SourceRow> {
  const kind = path.extname(file);
  if (kind !== '.arrow' && kind !== '.parquet') return yield* readRows(file);
  let row = 0;
  for await (const value of kind === '.arrow' ? arrowRows(file) : parquetRows(file))
    yield { file, row: ++row, line: null, bytesRead: 0, value: plainCell(value) };
}

function arrowRows(file: string): unknown[] {
  return tableFromIPC(readFileSync(file)).toArray().map(plain);
}

/** Lists and structures as a process sends them. */
function plain(value: unknown): unknown {
  if (value instanceof Vector) return Array.from(value, plain);
  if (!(value instanceof StructRow)) return value;
  return Object.fromEntries(Object.entries(value.toJSON()).map(([name, member]) => [name, plain(member)]));
}

async function* parquetRows(file: string): AsyncGenerator<unknown> {
  const { buffer, byteOffset, byteLength } = await readFile(file);
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  for await (const rows of rowBatches(bytes, parquetMetadata(bytes))) yield* rows;
}
