/**
 * Process that reads an Arrow file for `columnRows`: given the file, then asked repeatedly, it returns rows in
 * batches.
 */
import { createReadStream } from 'node:fs';
import { DataType, RecordBatchReader, StructRow, Vector } from 'apache-arrow';
import { answerInBatches } from '../isolated/answerQuestions.ts';
import type { JsonValue } from '../json.ts';
import type { ColumnBatch } from './columnRows.ts';
import { plainCell } from './plainCell.ts';

/** Rows sent together. */
const ROWS_IN_BATCH = 500;

answerInBatches(batchesOf);

async function* batchesOf(path: string): AsyncGenerator<ColumnBatch> {
  const stream = createReadStream(path);
  for await (const batch of await RecordBatchReader.from(stream)) {
    const { fields } = batch.schema;
    for (let from = 0; from < batch.numRows; from += ROWS_IN_BATCH) {
      const count = Math.min(ROWS_IN_BATCH, batch.numRows - from);
      const rows = Array.from({ length: count }, (_, at) => {
        const struct = batch.get(from + at);
        return Object.fromEntries(fields.map(({ name, type }) => [name, cell(struct?.[name], type)]));
      });
      yield { rows, bytesRead: stream.bytesRead };
    }
  }
}

/** Converts times: in Arrow they are plain numbers with a typed column. */
function cell(value: unknown, type: DataType): JsonValue {
  const isTime = DataType.isTimestamp(type) || DataType.isDate(type);
  return plainCell(isTime && typeof value === 'number' ? new Date(value) : unwrapped(value));
}

/** Copies Arrow's own lists and rows, which are views of a batch. */
function unwrapped(value: unknown): unknown {
  if (value instanceof Vector) return Array.from(value, unwrapped);
  if (!(value instanceof StructRow)) return value;
  return Object.fromEntries(
    Object.entries(value.toJSON()).map(([name, member]) => [name, unwrapped(member)]),
  );
}
