import { UserError } from '../userError.ts';
import { ByteGatherer, byteOrderMark, type CutPiece, type RowCutter } from './lineCutter.ts';

/** Position of a list in a JSON file. */
export interface ListPlace {
  /** Offset of the opening bracket. */
  readonly from: number;
  /** True if an object encloses the list; its other members are skipped. */
  readonly isWrapped: boolean;
}

interface JsonCutterOptions {
  /** File name for error messages. */
  readonly file: string;
  /** Maximum bytes of a row that is kept. */
  readonly maxBytes: number;
  /** Undefined for consecutive values. */
  readonly list: ListPlace | undefined;
}

const [quote, backslash, comma, closeList, lineFeed] = Buffer.from('"\\,]\n') as unknown as number[];
const openers = new Set(Buffer.from('{['));
const closers = new Set(Buffer.from('}]'));
const blanks = new Set(Buffer.from(' \t\n\r'));

/**
 * Cuts a JSON list into elements, or text into consecutive JSON values, by brackets and quotes alone in one pass.
 * `JSON.parse` validates the rows; the text between list elements is validated here.
 */
export class JsonCutter implements RowCutter {
  readonly #file: string;
  readonly #list: ListPlace | undefined;
  readonly #row: ByteGatherer;
  #place: 'before' | 'inside' | 'behind' = 'before';
  /** Bytes of earlier chunks. */
  #passed = 0;
  #depth = 0;
  #inRow = false;
  #inString = false;
  #escaped = false;
  #commaSeen = true;
  #rows = 0;
  #line = 1;
  #rowLine = 1;

  constructor({ file, maxBytes, list }: JsonCutterOptions) {
    this.#file = file;
    this.#list = list;
    this.#row = new ByteGatherer(maxBytes);
  }

  push(chunk: Uint8Array): CutPiece[] {
    const pieces: CutPiece[] = [];
    let from = 0;
    const cut = (to: number) => {
      if (to > from) pieces.push(...this.#taken(chunk.subarray(from, to)));
      from = to;
      this.#inRow = !this.#inRow;
      if (this.#inRow) this.#startRow();
      else pieces.push(this.#endRow(false));
    };
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inString) {
        at = this.#endOfString(chunk, at);
        continue;
      }
      const byte = chunk[at]!;
      if (this.#depth === 0) {
        const isBetween = this.#isBetween(byte, this.#passed + at);
        if (isBetween === this.#inRow) cut(at);
        if (isBetween) {
          this.#passOver(byte, this.#passed + at);
          continue;
        }
      }
      if (byte === quote) this.#inString = true;
      else if (openers.has(byte)) this.#depth++;
      else if (closers.has(byte)) {
        this.#depth = Math.max(0, this.#depth - 1);
        if (this.#depth === 0) cut(at + 1);
      }
    }
    this.#passed += chunk.length;
    return from === chunk.length ? pieces : [...pieces, ...this.#taken(chunk.subarray(from))];
  }

  end(): CutPiece[] {
    if (!this.#list) return this.#inRow ? [this.#endRow(true)] : [];
    if (this.#place === 'behind') return [];
    const where = this.#inRow
      ? `in the middle of row ${this.#rows}, which begins on line ${this.#rowLine}`
      : `after row ${this.#rows} without the closing ]`;
    throw new UserError(`${this.#file}: ends ${where}; the file was cut off, write it again`);
  }

  /** Handles a stretch that is part of a row or lies between rows. */
  #taken(bytes: Uint8Array): CutPiece[] {
    if (!this.#inRow) return [{ between: bytes }];
    for (let at = bytes.indexOf(lineFeed!); at >= 0; at = bytes.indexOf(lineFeed!, at + 1)) this.#line += 1;
    this.#row.add(bytes);
    return [];
  }

  #startRow(): void {
    this.#rows += 1;
    this.#rowLine = this.#line;
    if (!this.#list) return;
    if (this.#place === 'behind') this.#fail('expected nothing after the closing ]');
    if (!this.#commaSeen) this.#fail(`expected a comma before row ${this.#rows}`);
    this.#commaSeen = false;
  }

  #endRow(endsFile: boolean): CutPiece {
    const { length } = this.#row;
    return { bytes: this.#row.take(), length, line: this.#rowLine, endsFile };
  }

  #isBetween(byte: number, at: number): boolean {
    if (blanks.has(byte)) return true;
    if (!this.#list) return at < byteOrderMark.length && byteOrderMark[at] === byte;
    if (this.#place === 'before') return true;
    return byte === comma || byte === closeList || (this.#place === 'behind' && this.#list.isWrapped);
  }

  #passOver(byte: number, at: number): void {
    if (byte === lineFeed) this.#line += 1;
    if (!this.#list || blanks.has(byte)) return;
    if (this.#place === 'before') {
      if (at === this.#list.from) this.#place = 'inside';
    } else if (this.#place === 'behind') {
      if (!this.#list.isWrapped) this.#fail('expected nothing after the closing ]');
    } else if (byte === comma) {
      if (this.#commaSeen) this.#fail(`expected a row after row ${this.#rows}, found a comma`);
      this.#commaSeen = true;
    } else {
      if (this.#commaSeen && this.#rows > 0) this.#fail('expected no comma after the last row');
      this.#place = 'behind';
    }
  }

  #fail(problem: string): never {
    throw new UserError(`${this.#file} line ${this.#line}: ${problem}; this is not valid JSON, fix the file`);
  }

  /**
   * Closing quote of a string, or the chunk's end. Strings make up most of a row, so quotes are searched natively.
   */
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

/** True if an odd number of backslashes precedes a place in a string; none of them lies before `from`. */
function isEscaped(chunk: Uint8Array, from: number, at: number): boolean {
  let first = at;
  while (first > from && chunk[first - 1] === backslash) first -= 1;
  return (at - first) % 2 === 1;
}
