const byte = (character: string) => character.charCodeAt(0);
const QUOTE = byte('"');
const BACKSLASH = byte('\\');
const COMMA = byte(',');
const openers = new Set(['{', '['].map(byte));
const closers = new Set(['}', ']'].map(byte));
const blanks = new Set([' ', '\t', '\n', '\r'].map(byte));

/**
 * The elements of a JSON array, or JSON values that stand one after another, found by brackets and quotes alone: in one
 * pass, without parsing. Text that is neither comes out as a row that does not parse.
 */
export async function* splitJsonValues(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<RowBytes> {
  const splitter = new ValueSplitter(maxBytes);
  for await (const chunk of chunks) yield* splitter.read(chunk);
  yield* splitter.finish();
}

class ValueSplitter {
  readonly #row: RowBuffer;
  /** Undefined before the first character that is no white space. */
  #inArray: boolean | undefined;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(maxBytes: number) {
    this.#row = new RowBuffer(maxBytes);
  }

  *read(chunk: Buffer): Generator<RowBytes> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk[at]!;
      if (this.#inString) {
        this.#stringCharacter(character);
        continue;
      }
      if (this.#depth === 0) {
        const place = this.#between(character);
        if (place !== 'value') {
          this.#row.add(chunk.subarray(from, at));
          from = at + 1;
          if (place === 'border' && !this.#row.isEmpty) yield this.#row.take();
          continue;
        }
      }
      this.#nest(character);
      if (this.#depth === 0 && closers.has(character)) {
        this.#row.add(chunk.subarray(from, at + 1));
        from = at + 1;
        yield this.#row.take();
      }
    }
    this.#row.add(chunk.subarray(from));
  }

  *finish(): Generator<RowBytes> {
    if (!this.#row.isEmpty) yield this.#row.take();
  }

  /** What a character outside of any bracket is: part of a value, the border between two, or the array's own bracket. */
  #between(character: number): 'value' | 'border' | 'frame' {
    if (blanks.has(character)) return 'border';
    if (this.#inArray === undefined) {
      this.#inArray = character === byte('[');
      if (this.#inArray) return 'frame';
    }
    const frames = this.#inArray && (character === COMMA || character === byte(']'));
    return frames ? 'border' : 'value';
  }

  #nest(character: number): void {
    if (character === QUOTE) this.#inString = true;
    else if (openers.has(character)) this.#depth++;
    else if (closers.has(character)) this.#depth = Math.max(0, this.#depth - 1);
  }

  #stringCharacter(character: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === BACKSLASH) this.#escaped = true;
    else if (character === QUOTE) this.#inString = false;
  }
}

/** Bytes of one row; undefined for a row that is longer than the limit. */
export type RowBytes = Buffer | undefined;

/** Collects the bytes of one row out of chunks; a row that grows past the limit is let go. */
export class RowBuffer {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** The row, and begins the next one. */
  take(): RowBytes {
    const row = this.#bytes > this.#maxBytes ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return row;
  }
}
