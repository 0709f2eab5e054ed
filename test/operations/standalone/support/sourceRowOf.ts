import type { JsonValue } from '../../../../base/json.ts';
import type { SourceRow } from '../../../../operations/standalone/sourceRow.ts';
import { readDatasetRow } from '../../../../schemas/rows/codecTable.ts';

/** A row as it comes from a file. */
export function sourceRowOf(value: JsonValue, index = 0): SourceRow {
  const place = { index, file: 'rows.jsonl', row: index + 1, line: index + 1 };
  return {
    ...place,
    bytes: Buffer.from(JSON.stringify(value)),
    bytesRead: 0,
    value,
    said: readDatasetRow(value),
  };
}
