import type { Between } from './fileRow.ts';

/** Accumulates bytes over chunks up to a limit; content beyond it is discarded. */
export class ByteGatherer {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes since the last `take`, discarded ones included. */
  get length(): number {
    return this.#length;
  }

  add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** Bytes since the last call; undefined if they exceeded the limit. */
  take(): Buffer | undefined {
    const parts = this.#parts;
    const [first] = parts;
    const isKept = this.#length <= this.#maxBytes;
    this.#parts = [];
    this.#length = 0;
    if (!isKept) return undefined;
    if (!first || parts.length > 1) return Buffer.concat(parts);
    return Buffer.from(first.buffer, first.byteOffset, first.length);
  }
}

/** A piece of a JSON file. All pieces together are the file, except for rows that are too long. */
export type CutPiece = Between | CutBytes;

/** Bytes of a row. */
export interface CutBytes {
  /** Undefined for a row above the limit. */
  readonly bytes: Buffer | undefined;
  readonly length: number;
  /** First line of the row, from 1. */
  readonly line: number;
  /** True if nothing follows, not even a line end. */
  readonly endsFile: boolean;
}

/** Cuts a file, chunk by chunk, into unparsed rows, so that one row is in memory at a time. */
export interface RowCutter {
  push(chunk: Uint8Array): CutPiece[];
  /** Remaining pieces at the end. Throws `UserError` for a truncated list. */
  end(): CutPiece[];
}

const lineFeed = 0x0a;
const spaces = new Set(Buffer.from(' \t\r'));

/** Optional prefix of a text; not part of any row. */
export const byteOrderMark = Buffer.from('\uFEFF');

/** Cuts JSON lines: each non-blank line is a row, without its line end and trailing white space. */
export class LineCutter implements RowCutter {
  readonly #rest: ByteGatherer;
  #line = 1;

  constructor(maxBytes: number) {
    this.#rest = new ByteGatherer(maxBytes);
  }

  push(chunk: Uint8Array): CutPiece[] {
    const pieces: CutPiece[] = [];
    let from = 0;
    for (let feed = chunk.indexOf(lineFeed); feed >= 0; feed = chunk.indexOf(lineFeed, from)) {
      const blank = this.#rest.length === 0 ? blankLines(chunk, from) : undefined;
      if (blank && blank.lines > 0) {
        // One piece for all blank lines: a packed file may contain little else.
        pieces.push({ between: chunk.subarray(from, blank.end) });
        this.#line += blank.lines;
        from = blank.end;
        continue;
      }
      this.#rest.add(chunk.subarray(from, feed));
      pieces.push(...this.#pieces(false), { between: chunk.subarray(feed, feed + 1) });
      this.#line += 1;
      from = feed + 1;
    }
    this.#rest.add(chunk.subarray(from));
    return pieces;
  }

  end(): CutPiece[] {
    return this.#pieces(true);
  }

  /** Pieces of the gathered line: byte order mark, row and trailing white space. */
  #pieces(endsFile: boolean): CutPiece[] {
    const line = this.#line;
    const { length } = this.#rest;
    const bytes = this.#rest.take();
    if (!bytes) return [{ bytes, length, line, endsFile }];
    const isMarked = line === 1 && byteOrderMark.equals(bytes.subarray(0, byteOrderMark.length));
    const from = isMarked ? byteOrderMark.length : 0;
    let to = length;
    while (to > from && spaces.has(bytes[to - 1]!)) to -= 1;
    const pieces: CutPiece[] = [];
    if (from > 0) pieces.push({ between: bytes.subarray(0, from) });
    if (to > from) pieces.push({ bytes: bytes.subarray(from, to), length: to - from, line, endsFile });
    if (to < length) pieces.push({ between: bytes.subarray(to) });
    return pieces;
  }
}

/** Number of blank lines after a place, and their end. */
function blankLines(chunk: Uint8Array, from: number): { readonly lines: number; readonly end: number } {
  let [lines, end] = [0, from];
  for (let at = from; chunk[at] === lineFeed || spaces.has(chunk[at]!); at += 1) {
    if (chunk[at] !== lineFeed) continue;
    lines += 1;
    end = at + 1;
  }
  return { lines, end };
}
