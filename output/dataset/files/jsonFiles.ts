import type { OpenFile, RowFile } from '../datasetFormat.ts';

/** A row as JSON: text, or its UTF-8. */
type Json = string | Uint8Array;

/** JSON Lines: a row a line. */
export function jsonLinesFile(file: OpenFile): RowFile<Json> {
  return {
    async add(json) {
      await file.write(json);
      await file.write('\n');
    },
    get dataBytes() {
      return file.bytes;
    },
    async finish() {},
    async abort() {},
  };
}

/** One JSON array, a row a line, written a row at a time. */
export function jsonArrayFile(file: OpenFile): RowFile<Json> {
  let rows = 0;
  return {
    async add(json) {
      await file.write(rows === 0 ? '[\n' : ',\n');
      await file.write(json);
      rows += 1;
    },
    get dataBytes() {
      return file.bytes;
    },
    finish: () => file.write(rows === 0 ? '[]\n' : '\n]\n'),
    async abort() {},
  };
}
