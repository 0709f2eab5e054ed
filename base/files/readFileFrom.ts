import { ifThere } from './diskError.ts';
import { openPlain } from './plainFile.ts';

/** A part of a growing file. */
interface FilePart {
  readonly bytes: Buffer;
  /** Offset after the last byte, where the next part starts. */
  readonly end: number;
}

/**
 * Reads a growing file from an offset to its end, at most the last `maxBytes`. A missing file is empty; a file
 * shorter than the offset was restarted and is read from its beginning.
 * @param within folder that must hold the file itself. Default: links are followed
 * @throws UserError for what is not a plain file
 */
export async function readFileFrom(
  path: string,
  from: number,
  maxBytes = Infinity,
  within?: string,
): Promise<FilePart> {
  const file = await ifThere(openPlain(path, { within }));
  if (!file) return { bytes: Buffer.alloc(0), end: 0 };
  try {
    const { size } = await file.stat();
    const start = Math.max(from > size ? 0 : from, size - maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return { bytes: buffer.subarray(0, bytesRead), end: start + bytesRead };
  } finally {
    await file.close();
  }
}
