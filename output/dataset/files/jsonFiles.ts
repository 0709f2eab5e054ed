import type { RowFile } from '../datasetFormat.ts';
import type { HashedFile } from '../hashedFile.ts';

/**
 * JSON Lines: a row a line.
 *
 * @param replacer changes values on the way, as `JSON.stringify` calls it
 */
export function jsonLinesFile(
  file: HashedFile,
  replacer?: (key: string, value: unknown) => unknown,
): RowFile {
  return {
    add: (row) => file.write(`${JSON.stringify(row, replacer)}\n`),
    get dataBytes() {
      return file.bytes;
    },
    async finish() {},
    async abort() {},
  };
}

/** One JSON array, a row a line, written a row at a time. */
export function jsonArrayFile(file: HashedFile): RowFile {
  let rows = 0;
  return {
    async add(row) {
      await file.write(`${rows === 0 ? '[\n' : ',\n'}${JSON.stringify(row)}`);
      rows += 1;
    },
    get dataBytes() {
      return file.bytes;
    },
    finish: () => file.write(rows === 0 ? '[]\n' : '\n]\n'),
    async abort() {},
  };
}
