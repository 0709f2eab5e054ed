import type { RowFile } from '../datasetFormat.ts';
import type { HashedFile } from '../hashedFile.ts';

/** JSON Lines: a row a line. Rows come as JSON. */
export function jsonLinesFile(file: HashedFile): RowFile<string> {
  return {
    add: (json) => file.write(`${json}\n`),
    get dataBytes() {
      return file.bytes;
    },
    async finish() {},
    async abort() {},
  };
}

/** One JSON array, a row a line, written a row at a time. Rows come as JSON. */
export function jsonArrayFile(file: HashedFile): RowFile<string> {
  let rows = 0;
  return {
    async add(json) {
      await file.write(`${rows === 0 ? '[\n' : ',\n'}${json}`);
      rows += 1;
    },
    get dataBytes() {
      return file.bytes;
    },
    finish: () => file.write(rows === 0 ? '[]\n' : '\n]\n'),
    async abort() {},
  };
}
