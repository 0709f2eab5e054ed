import { ByteGatherer } from './byteGatherer.ts';

const [quote, backslash, comma, openList, closeList] = Buffer.from('"\\,[]') as unknown as number[];
const openers = new Set(Buffer.from('{['));
const closers = new Set(Buffer.from('}]'));
const blanks = new Set(Buffer.from(' \t\n\r'));

/** Bytes of one JSON value, or what stands between values. */
export interface JsonPiece {
  readonly kind: 'between' | 'row';
  /** Undefined when they are more than the limit. */
  readonly bytes: Buffer | undefined;
}

/**
 * Cuts a JSON array into its elements, or JSON values that stand one after another: by brackets and quotes alone, in
 * one pass, without parsing. Text that is neither comes out as a value that does not parse. All pieces together are the
 * text.
 */
export class JsonCutter {
  readonly #gathered: ByteGatherer;
  /** Undefined before the first value or the array's bracket. */
  #inArray: boolean | undefined;
  readonly #onlyArray: boolean;
  #depth = 0;
  #inValue = false;
  #inString = false;
  #escaped = false;

  /**
   * @param maxBytes - Largest value that is kept
   * @param onlyArray - The text is an array: whatever stands before its bracket is no value
   */
  constructor({ maxBytes, onlyArray = false }: { readonly maxBytes?: number; readonly onlyArray?: boolean }) {
    this.#gathered = new ByteGatherer(maxBytes);
    this.#onlyArray = onlyArray;
  }

  push(chunk: Uint8Array): JsonPiece[] {
    const pieces: JsonPiece[] = [];
    let from = 0;
    const cut = (to: number) => {
      this.#gathered.add(chunk.subarray(from, to));
      from = to;
      pieces.push(...this.end());
      this.#inValue = !this.#inValue;
    };
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inString) {
        at = this.#endOfString(chunk, at);
        continue;
      }
      const byte = chunk[at]!;
      if (this.#depth === 0) {
        const isBetween = this.#isBetween(byte);
        if (isBetween === this.#inValue) cut(at);
        if (isBetween) continue;
      }
      if (byte === quote) this.#inString = true;
      else if (openers.has(byte)) this.#depth++;
      else if (closers.has(byte)) {
        this.#depth = Math.max(0, this.#depth - 1);
        if (this.#depth === 0) cut(at + 1);
      }
    }
    this.#gathered.add(chunk.subarray(from));
    return pieces;
  }

  /** What is left at the end of the text. */
  end(): JsonPiece[] {
    if (this.#gathered.isEmpty) return [];
    return [{ kind: this.#inValue ? 'row' : 'between', bytes: this.#gathered.take() }];
  }

  #isBetween(byte: number): boolean {
    if (blanks.has(byte)) return true;
    if (this.#inArray === undefined) {
      if (byte !== openList && this.#onlyArray) return true;
      this.#inArray = byte === openList;
      return this.#inArray;
    }
    return this.#inArray && (byte === comma || byte === closeList);
  }

  /** The quote that ends a string, or the chunk's end. Strings are nearly all of a row: quotes are looked for natively. */
  #endOfString(chunk: Uint8Array, from: number): number {
    const start = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    for (let at = chunk.indexOf(quote!, start); at >= 0; at = chunk.indexOf(quote!, at + 1)) {
      if (isEscaped(chunk, start, at)) continue;
      this.#inString = false;
      return at;
    }
    this.#escaped = isEscaped(chunk, start, chunk.length);
    return chunk.length;
  }
}

/** Whether an odd number of backslashes ends before a place in a string; none of them stands before `from`. */
function isEscaped(chunk: Uint8Array, from: number, at: number): boolean {
  let first = at;
  while (first > from && chunk[first - 1] === backslash) first -= 1;
  return (at - first) % 2 === 1;
}
