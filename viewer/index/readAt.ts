import { openPlain } from '../../base/files/plainFile.ts';

/** A stretch of a file; shorter where the file ends before. */
export async function readAt(path: string, offset: number, length: number): Promise<Buffer> {
  const file = await openPlain(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
