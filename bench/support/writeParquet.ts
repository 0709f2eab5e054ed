/**
 * Writes rows of an Arrow stream, over and over, as parquet with the dataset's own writer.
 * `node writeParquet.ts ROWS.arrow OUT.parquet COUNT` prints seconds of CPU and by the clock and the peak memory.
 */
import path from 'node:path';
import { Field, Int8, Int32, Schema, Utf8 } from 'apache-arrow';
import { ipcStream, ParquetFile, RowBatches } from '../../output/dataset/files/columnFiles.ts';
import { int8Lists, int32Lists, listOf, stringColumn } from '../../output/dataset/files/listColumns.ts';
import { HashedFile } from '../../output/dataset/hashedFile.ts';
import { type ParquetRow, readParquetRows } from './parquetRows.ts';

const [source = '', target = '', count = '0'] = process.argv.slice(2);
const inputIds = listOf(new Int32());
const lossMask = listOf(new Int8());
const schema = new Schema([
  Field.new({ name: 'text', type: new Utf8() }),
  Field.new({ name: 'input_ids', type: inputIds }),
  Field.new({ name: 'loss_mask', type: lossMask }),
]);

const rows = readParquetRows(source);
const wall = performance.now();
const cpu = process.cpuUsage();
const file = await HashedFile.create(path.resolve(target));
const parquet = new ParquetFile(file);
const batches = new RowBatches<ParquetRow>();
for (let at = 0; at < Number(count); at++) {
  const row = rows[at % rows.length]!;
  const batch = batches.add(row, row.inputIds.length);
  if (batch) await parquet.write(batchStream(batch));
}
const rest = batches.take();
if (rest.length > 0) await parquet.write(batchStream(rest));
await parquet.finish();
const { bytes } = await file.finish();
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    wall_s: (performance.now() - wall) / 1e3,
    cpu_s: (user + system) / 1e6,
    peak_rss_mb: process.resourceUsage().maxRSS / 1e3,
    file_mb: bytes / 1e6,
  }),
);

function batchStream(batch: readonly ParquetRow[]): Uint8Array {
  return ipcStream(schema, batch.length, [
    stringColumn(batch.map((row) => row.text)),
    int32Lists(
      inputIds,
      batch.map((row) => row.inputIds),
    ),
    int8Lists(
      lossMask,
      batch.map((row) => row.lossMask),
    ),
  ]);
}
