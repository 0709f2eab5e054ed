import { ifThere } from '../files/diskError.ts';
import { openPlain } from '../files/plainFile.ts';

const LINE_FEED = 0x0a;
const BLOCK_BYTES = 256 * 1024;

/** Some whole lines of a file, one after the other. */
export interface LineBlock {
  /** Ends with a line feed. Only to be looked at until the next block is asked for, which takes its place. */
  readonly bytes: Buffer;
  /** Of its first byte in the file. */
  readonly offset: number;
}

/**
 * The whole lines of a stretch of a file, many at a time. However long the file is, all of it goes through one buffer, which
 * grows for a line that is longer: pieces of their own would pile up until they are collected. A file that is not there has
 * none.
 *
 * @param start first byte of the first line
 * @param end where the stretch ends; a line that goes on behind it is left out
 * @param within folder that must hold the file itself. Default: links are followed
 * @throws UserError for what is not a plain file
 */
export async function* readLineBlocks(
  path: string,
  start: number,
  end: number,
  within?: string,
): AsyncGenerator<LineBlock> {
  const file = await ifThere(openPlain(path, { within }));
  if (!file) return;
  try {
    let buffer: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    let [offset, filled] = [start, 0];
    for (;;) {
      if (filled === buffer.length) buffer = grown(buffer);
      const wanted = Math.min(buffer.length - filled, end - offset - filled);
      const { bytesRead } = await file.read(buffer, filled, wanted, offset + filled);
      if (bytesRead === 0) return;
      filled += bytesRead;
      const size = buffer.lastIndexOf(LINE_FEED, filled - 1) + 1;
      if (size === 0) continue;
      yield { bytes: buffer.subarray(0, size), offset };
      buffer.copyWithin(0, size, filled);
      offset += size;
      filled -= size;
    }
  } finally {
    await file.close();
  }
}

function grown(buffer: Buffer): Buffer {
  const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
  buffer.copy(larger);
  return larger;
}

export interface LineWithin {
  readonly from: number;
  /** Of its line feed. */
  readonly end: number;
}

/** Where the lines of a block stand. */
export function* linesWithin({ bytes }: LineBlock): Generator<LineWithin> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    yield { from, end };
    from = end + 1;
  }
}
