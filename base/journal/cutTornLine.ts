import { type FileHandle, open } from 'node:fs/promises';
import { ifThere, onDisk } from '../files/diskError.ts';

const LINE_FEED = 0x0a;
const WINDOW_BYTES = 64 * 1024;

/**
 * Cuts off a last line without its line feed, which was torn while it was written. Only the file's end is read, so
 * that a long log takes no time to open; what stands before is not looked at.
 *
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

/** Where the last whole line ends, its line feed included. */
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
