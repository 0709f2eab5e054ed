import { ifThere } from './diskError.ts';
import { openPlain } from './plainFile.ts';

/** A part of a file that grows. */
interface FilePart {
  readonly bytes: Buffer;
  /** Place after the last byte: where the next part begins. */
  readonly end: number;
}

/**
 * Reads a file that grows from a place to its end, at most the last `maxBytes` of it. A file that is not there is
 * empty; one that is shorter than the place was started again, and is read from its beginning.
 *
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
