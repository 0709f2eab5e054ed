import type { DatabaseSync } from 'node:sqlite';

/**
 * Reads how long passages are, in terms, beside the average of the index. FTS5 keeps both for its own `bm25()`: the
 * lengths of a row's columns in `%_docsize`, the number of rows and the sum of each column in the row 1 of `%_data`, as
 * SQLite's variable-length integers (sqlite.org/fts5.html, appendix A).
 */
export function createLengthReader(database: DatabaseSync): (number: number) => number {
  const totals = database.prepare('SELECT block FROM passages_data WHERE id = 1').get() as
    | { block: Uint8Array }
    | undefined;
  const [rows = 1, ...sums] = readVarints(totals?.block ?? new Uint8Array());
  const average = sum(sums) / rows;
  const sizes = database.prepare('SELECT sz FROM passages_docsize WHERE id = ?');
  return (number) => {
    const row = sizes.get(number) as { sz: Uint8Array } | undefined;
    if (!row) throw new Error(`the index has no length of passage ${number}: it is damaged`);
    return sum(readVarints(row.sz)) / average;
  };
}

/** SQLite's integers of 1 to 9 bytes: 7 bits a byte, the greatest first; here none needs more than 8 bytes. */
function readVarints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    values.push(value);
    value = 0;
  }
  return values;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
