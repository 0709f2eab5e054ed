import type { Between } from './fileRow.ts';

/** Bytes that gather over chunks, up to a limit: what grows past it is let go. */
export class ByteGatherer {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes since the last `take`, let go or not. */
  get length(): number {
    return this.#length;
  }

  add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** Everything since the last call; undefined when it was more than the limit. */
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

/** A stretch of a file of JSON. All pieces together are the file, but for rows that are too long. */
export type CutPiece = Between | CutBytes;

/** The bytes of a row. */
export interface CutBytes {
  /** Undefined for a row that is longer than the limit. */
  readonly bytes: Buffer | undefined;
  readonly length: number;
  /** Line on which the row begins, from 1. */
  readonly line: number;
  /** Whether nothing follows it, no line end either. */
  readonly endsFile: boolean;
}

/** Cuts a file, chunk by chunk, into rows without parsing them, so that one row is in memory at a time. */
export interface RowCutter {
  push(chunk: Uint8Array): CutPiece[];
  /** What is left at the end. Throws `UserError` when a list was cut off. */
  end(): CutPiece[];
}

const lineFeed = 0x0a;
const spaces = new Set(Buffer.from(' \t\r'));

/** What a text may begin with; it is part of no row. */
export const byteOrderMark = Buffer.from('\uFEFF');

/** Cuts JSON lines: each line that is not blank is a row, without its line end and the white space before that. */
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
        // One piece for all of them: a packed file may hold little but empty lines.
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

  /** The gathered line: its byte order mark, the row, and white space at its end. */
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

/** How many lines of white space follow a place, and where they end. */
function blankLines(chunk: Uint8Array, from: number): { readonly lines: number; readonly end: number } {
  let [lines, end] = [0, from];
  for (let at = from; chunk[at] === lineFeed || spaces.has(chunk[at]!); at += 1) {
    if (chunk[at] !== lineFeed) continue;
    lines += 1;
    end = at + 1;
  }
  return { lines, end };
}
