/** The process of `readArrowRows`: told a file, it opens it; then it gives its rows in batches. */
import { createReadStream } from 'node:fs';
import { DataType, RecordBatchReader, StructRow, Vector } from 'apache-arrow';
import { answerQuestions } from '../isolated/answerQuestions.ts';

/** Rows that are sent together. */
const ROWS_IN_BATCH = 500;

let batches: AsyncGenerator<unknown[]> | undefined;

answerQuestions(async (question: string) => {
  if (batches) return (await batches.next()).value ?? [];
  batches = rowBatches(question);
  return null;
});

async function* rowBatches(file: string): AsyncGenerator<unknown[]> {
  for await (const batch of await RecordBatchReader.from(createReadStream(file))) {
    const { fields } = batch.schema;
    for (let from = 0; from < batch.numRows; from += ROWS_IN_BATCH) {
      const count = Math.min(ROWS_IN_BATCH, batch.numRows - from);
      yield Array.from({ length: count }, (_, at) => {
        const struct = batch.get(from + at);
        return Object.fromEntries(fields.map(({ name, type }) => [name, cell(struct?.[name], type)]));
      });
    }
  }
}

/** Times are numbers in Arrow, of which nothing says that they are times. */
function cell(value: unknown, type: DataType): unknown {
  const isTime = DataType.isTimestamp(type) || DataType.isDate(type);
  return isTime && typeof value === 'number' ? new Date(value) : plain(value);
}

/** A value that can be sent: Arrow's own lists and rows are views of a batch. */
function plain(value: unknown): unknown {
  if (value instanceof Vector) return Array.from(value, plain);
  if (value instanceof StructRow) {
    return Object.fromEntries(Object.entries(value.toJSON()).map(([name, member]) => [name, plain(member)]));
  }
  return value;
}
