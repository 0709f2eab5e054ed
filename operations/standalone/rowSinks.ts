import { once } from 'node:events';
import { jsonArrayFile, jsonLinesFile } from '../../output/dataset/files/jsonFiles.ts';
import type { SourceRow } from './sourceRow.ts';

/** Where kept rows go, in the order in which they came in. */
export interface RowSink {
  /** Writes the row as it came in, so many times. */
  write(row: SourceRow, times: number): Promise<void>;
  /** Everything is written; nothing is visible under the file's name yet. */
  close(): Promise<void>;
  /** Gives a file its name. */
  commit(): Promise<void>;
  /** Removes what was written; after `commit` it does nothing. */
  discard(): Promise<void>;
}

/** Where JSON goes. */
type JsonTarget = Omit<RowSink, 'write'> & { write(data: string | Uint8Array): Promise<void> };

/** A JSON list, each row beginning a line, or JSON lines. */
export function jsonSink(target: JsonTarget, isList: boolean): RowSink {
  const file = { bytes: 0, write: (data: string | Uint8Array) => target.write(data) };
  const rows = isList ? jsonArrayFile(file) : jsonLinesFile(file);
  return {
    async write(row, times) {
      const json = isList ? jsonOf(row) : onOneLine(jsonOf(row));
      for (let time = 0; time < times; time++) await rows.add(json);
    },
    async close() {
      await rows.finish();
      await target.close();
    },
    commit: () => target.commit(),
    discard: () => target.discard(),
  };
}

/** Standard output, as fast as it is read there. */
export const standardOutput: JsonTarget = {
  async write(data) {
    if (!process.stdout.write(data)) await once(process.stdout, 'drain');
  },
  async close() {},
  async commit() {},
  async discard() {},
};

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const blank = 0x20;

/** A row as it stands in its file; of CSV, parquet and Arrow as JSON would have it. */
function jsonOf(row: SourceRow): Uint8Array {
  if ('problem' in row) throw new Error(`${row.file} row ${row.row} can't be written: ${row.problem}`);
  return row.bytes ?? Buffer.from(JSON.stringify(row.value));
}

/** A row of a JSON list may be spread over lines: between its tokens a line feed means no more than a blank. */
function onOneLine(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
  return bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? blank : byte));
}
