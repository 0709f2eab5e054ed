import type { OpenFile, RowFile } from '../datasetFormat.ts';

/** JSON text, or its UTF-8 bytes. */
type Json = string | Uint8Array;

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

/** JSON array with one row per line, written incrementally. */
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
