import { openPlain } from '../files/plainFile.ts';

const LINE_FEED = 0x0a;
/** Minimum bytes of a read: Node allocates a buffer of this size for each, including the one that finds the end. */
const MIN_READ_BYTES = 1 << 12;
const MAX_READ_BYTES = 1 << 20;

/** One line of a file. */
export interface RawLine {
  /** Without the line feed. */
  readonly bytes: Buffer;
  /** From 1. */
  readonly number: number;
  /** Offset of its first byte. */
  readonly offset: number;
  /** False for a last line without line feed, torn during a write. */
  readonly whole: boolean;
}

/**
 * Lines of a file, one at a time; none for a missing file.
 * @param start first byte of the first line; lines are counted from there. Default: 0
 * @param within folder that must hold the file itself. Default: links are followed
 * @throws UserError for what is not a plain file
 */
export async function* readLines(path: string, start = 0, within?: string): AsyncGenerator<RawLine> {
  try {
    const file = await openPlain(path, { within });
    const { size } = await file.stat();
    const highWaterMark = Math.min(Math.max(size - start, MIN_READ_BYTES), MAX_READ_BYTES);
    const chunks = file.createReadStream({ highWaterMark, start }) as AsyncIterable<Buffer>;
    for await (const line of linesOf(chunks)) yield { ...line, offset: start + line.offset };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/**
 * Lines from chunks of text.
 * @throws RangeError for a line of more bytes than allowed
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<RawLine> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let offset = 0;
  let number = 1;
  const refuseLonger = (bytes: number): void => {
    if (bytes > maxBytes) throw new RangeError(`line ${number} has more than ${maxBytes} bytes`);
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const bytes = Buffer.concat([...rest, chunk.subarray(from, end)]);
      rest = [];
      restBytes = 0;
      refuseLonger(bytes.length);
      yield { bytes, number: number++, offset, whole: true };
      offset += bytes.length + 1;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    rest.push(Buffer.from(chunk.subarray(from)));
    restBytes += chunk.length - from;
    refuseLonger(restBytes);
  }
  if (rest.length > 0) yield { bytes: Buffer.concat(rest), number, offset, whole: false };
}
