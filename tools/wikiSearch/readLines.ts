import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { linesOf, type RawLine } from '../../base/journal/readLines.ts';
import { through } from '../../base/rows/through.ts';
import { UserError } from '../../base/userError.ts';

/** Longest line that is read, 1 MiB; a passage has about a thousand bytes. It bounds what reading a block takes. */
export const MAX_LINE_BYTES = 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/**
 * The lines of a file, one after another, blank ones left out; a file named `.gz` is decompressed.
 *
 * @param onRead given the file's own bytes as they are read, compressed ones too
 * @throws UserError for a file that can't be read, is no gzip, or has an endless line
 */
export async function* readLines(path: string, onRead?: (bytes: Buffer) => void): AsyncGenerator<RawLine> {
  try {
    for await (const line of linesOf(chunksOf(path, onRead), MAX_LINE_BYTES))
      if (!isBlank(line.bytes)) yield line;
  } catch (error) {
    if (error instanceof RangeError)
      throw new UserError(`${path}: ${error.message}; expected one passage a line`, { cause: error });
    throw error;
  }
}

async function* chunksOf(path: string, onRead?: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: READ_BYTES });
  if (onRead) file.on('data', (bytes) => onRead(bytes as Buffer));
  try {
    yield* path.endsWith('.gz') ? through<Buffer>(file, createGunzip({ chunkSize: READ_BYTES })) : file;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof UserError) throw error;
    throw new UserError(`${path}: the passage corpus can't be read (${message})`, { cause: error });
  } finally {
    file.destroy();
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
