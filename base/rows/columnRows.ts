import path from 'node:path';
import { limitsForFile } from '../isolated/fileLimits.ts';
import { IsolatedProcess } from '../isolated/isolatedProcess.ts';
import type { JsonValue } from '../json.ts';
import { moduleBeside } from '../moduleBeside.ts';
import { UserError } from '../userError.ts';
import type { FileRow } from './fileRow.ts';

/** Rows of a columnar file sent together; undefined marks the end of the file. */
export interface ColumnBatch {
  readonly rows: readonly JsonValue[];
  /** Approximate bytes of the file up to their end. */
  readonly bytesRead: number;
}

/** Columnar formats: the reader process, and the message for a file that becomes unreadable after a row. */
const readers = {
  parquet: {
    module: moduleBeside(import.meta.url, '../parquet/parquetRowsProcess'),
    explain: (why: string) => `parquet file (${why}); write it again, a good one in smaller row groups`,
  },
  arrow: {
    module: moduleBeside(import.meta.url, 'arrowRowsProcess'),
    explain: (why: string, row: number) => `Arrow stream after row ${row} (${why}); write it again`,
  },
};

/** A file of columns. */
interface ColumnFile {
  readonly path: string;
  readonly size: number;
  readonly format: keyof typeof readers;
}

/**
 * Rows of a parquet or Arrow file, one row group or batch in memory at a time, read in a separate process: counts and
 * offsets of a damaged file can keep a decoder busy forever.
 * @throws UserError when the file is damaged, or takes too much time or memory for its size
 */
export async function* columnRows(file: ColumnFile): AsyncGenerator<FileRow> {
  const { module, explain } = readers[file.format];
  const reader = new IsolatedProcess<string>(module, limitsForFile(file.size));
  let row = 0;
  try {
    let pending = reader.ask(path.resolve(file.path));
    for (let batch = await pending; batch !== undefined; batch = await pending) {
      // The next batch is read meanwhile; its error is thrown where it is awaited.
      pending = reader.ask('next');
      pending.catch(() => {});
      const { rows, bytesRead } = batch as ColumnBatch;
      for (const value of rows) yield { row: ++row, line: null, bytesRead, value };
    }
  } catch (cause) {
    const problem = explain((cause as Error).message, row);
    throw new UserError(`${file.path}: not a readable ${problem}`, { cause });
  } finally {
    reader.close();
  }
}
