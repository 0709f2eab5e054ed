/**
 * Process that reads a parquet file for `columnRows`: given the file, then asked repeatedly, it returns rows in
 * batches.
 */
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { answerInBatches } from '../isolated/answerQuestions.ts';
import type { ColumnBatch } from '../rows/columnRows.ts';
import { plainCell } from '../rows/plainCell.ts';
import { rowBatches } from './rowBatches.ts';

answerInBatches(batchesOf);

async function* batchesOf(path: string): AsyncGenerator<ColumnBatch> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let read = 0;
  for await (const rows of rowBatches(file, metadata)) {
    read += rows.length;
    // Assumes rows of equal size.
    const share = read / Number(metadata.num_rows);
    yield { rows: rows.map(plainCell), bytesRead: Math.round(file.byteLength * share) };
  }
}
