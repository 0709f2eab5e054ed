import { ifThere } from '../files/diskError.ts';
import { openPlain } from '../files/plainFile.ts';

const LINE_FEED = 0x0a;
const BLOCK_BYTES = 256 * 1024;

/** Consecutive whole lines of a file. */
export interface LineBlock {
  /** Ends with a line feed. Valid only until the next block, which reuses the buffer. */
  readonly bytes: Buffer;
  /** Offset of its first byte. */
  readonly offset: number;
}

/**
 * Whole lines of a part of a file, many at a time. One buffer serves the whole file and grows for longer lines:
 * separate buffers would pile up until collected. A missing file has no lines.
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
  /** Offset of its line feed. */
  readonly end: number;
}

/** Positions of the lines in a block. */
export function* linesWithin({ bytes }: LineBlock): Generator<LineWithin> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    yield { from, end };
    from = end + 1;
  }
}
