import { type FileHandle, open } from 'node:fs/promises';
import { ifThere, onDisk } from '../files/diskError.ts';

const LINE_FEED = 0x0a;
const WINDOW_BYTES = 64 * 1024;

/**
 * Cuts off a torn last line without line feed. Reads only the file's end, so that a long log opens fast; earlier
 * content is not checked.
 * @returns the file's length in bytes; 0 for a file that is not there
 */
export async function cutTornLine(path: string): Promise<number> {
  return onDisk(path, async () => {
    const file = await ifThere(open(path, 'r+'));
    if (!file) return 0;
    try {
      const { size } = await file.stat();
      const end = await endOfLastLine(file, size);
      if (end < size) await file.truncate(end);
      return end;
    } finally {
      await file.close();
    }
  });
}

/** End of the last whole line, its line feed included. */
async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - WINDOW_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}
