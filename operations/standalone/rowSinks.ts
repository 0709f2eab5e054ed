import { once } from 'node:events';
import type { AtomicFile } from '../../base/files/atomicFile.ts';
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

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const blank = 0x20;
const feed = Buffer.from('\n');

export function jsonLinesSink(file: AtomicFile): RowSink {
  return {
    async write(row, times) {
      const line = onOneLine(jsonOf(row));
      for (let time = 0; time < times; time++) {
        await file.write(line);
        await file.write(feed);
      }
    },
    close: () => file.close(),
    commit: () => file.commit(),
    discard: () => file.discard(),
  };
}

/** A JSON list in a file, each row beginning a line. */
export function jsonListSink(file: AtomicFile): RowSink {
  let isFirst = true;
  return {
    async write(row, times) {
      const bytes = jsonOf(row);
      for (let time = 0; time < times; time++) {
        await file.write(isFirst ? '[\n' : ',\n');
        await file.write(bytes);
        isFirst = false;
      }
    },
    async close() {
      await file.write(isFirst ? '[]\n' : '\n]\n');
      await file.close();
    },
    commit: () => file.commit(),
    discard: () => file.discard(),
  };
}

/** JSON lines to standard output, as fast as they are read there. */
export function pipeSink(): RowSink {
  return {
    async write(row, times) {
      const line = Buffer.concat([onOneLine(jsonOf(row)), feed]);
      for (let time = 0; time < times; time++) {
        if (!process.stdout.write(line)) await once(process.stdout, 'drain');
      }
    },
    async close() {},
    async commit() {},
    async discard() {},
  };
}

/** A row as it stands in its file; of CSV and Arrow as JSON would have it. */
function jsonOf(row: SourceRow): Uint8Array {
  if ('problem' in row) throw new Error(`${row.file} row ${row.row} can't be written: ${row.problem}`);
  return row.bytes ?? Buffer.from(JSON.stringify(row.value));
}

/** A row of a JSON list may be spread over lines: between its tokens a line feed means no more than a blank. */
function onOneLine(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
  return bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? blank : byte));
}
