import { UserError } from '../../../base/userError.ts';
import { ByteGatherer, type FilePiece, type PieceScanner } from './filePiece.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const lineFeed = 0x0a;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Cuts a JSON list into its rows without parsing them, so that one row is in memory at a time and each row's bytes
 * and line are known. Brackets are counted outside strings; `JSON.parse` judges the row itself.
 *
 * @param file named in the messages of errors
 */
export function createArrayScanner(file: string): PieceScanner {
  return new ArrayScanner(file);
}

class ArrayScanner implements PieceScanner {
  readonly #file: string;
  readonly #gathered = new ByteGatherer();
  /** 0 before and after the list, 1 between rows, 2 and more inside a row. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Scalars end where something else begins. */
  #inScalar = false;
  #ended = false;
  #commaSeen = true;
  #rows = 0;
  #line = 1;
  #rowLine = 1;

  constructor(file: string) {
    this.#file = file;
  }

  push(chunk: Uint8Array): FilePiece[] {
    const pieces: FilePiece[] = [];
    let from = 0;
    const cut = (to: number, kind: FilePiece['kind']): void => {
      this.#gathered.add(chunk.subarray(from, to));
      from = to;
      if (this.#gathered.isEmpty) return;
      const bytes = this.#gathered.take();
      pieces.push(kind === 'row' ? { kind, bytes, line: this.#rowLine } : { kind, bytes });
    };
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inString) {
        at = this.#endOfString(chunk, at);
        continue;
      }
      const byte = chunk[at]!;
      if (this.#depth >= 2) {
        if (this.#inScalar && (byte === comma || byte === closeList || isSpace(byte))) {
          this.#endRow();
          cut(at, 'row');
          this.#between(byte);
        } else if (this.#inRow(byte)) {
          this.#endRow();
          cut(at + 1, 'row');
        }
      } else if (this.#startsRow(byte)) {
        cut(at, 'between');
        this.#startRow(byte);
      } else this.#between(byte);
    }
    this.#gathered.add(chunk.subarray(from));
    return pieces;
  }

  end(): FilePiece[] {
    if (this.#depth >= 2) {
      throw new UserError(
        `${this.#file}: ends in the middle of row ${this.#rows}, which begins on line ${this.#rowLine}; the file was cut off, write it again`,
      );
    }
    if (!this.#ended) {
      throw new UserError(
        `${this.#file}: ends after row ${this.#rows} without the closing ]; the file was cut off, write it again`,
      );
    }
    return this.#gathered.isEmpty ? [] : [{ kind: 'between', bytes: this.#gathered.take() }];
  }

  /** The quote that ends a string, or the chunk's end. Strings are nearly all of a row: quotes are looked for natively. */
  #endOfString(chunk: Uint8Array, from: number): number {
    const start = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    for (let at = chunk.indexOf(quote, start); at >= 0; at = chunk.indexOf(quote, at + 1)) {
      if (isEscaped(chunk, start, at)) continue;
      this.#inString = false;
      return at;
    }
    this.#escaped = isEscaped(chunk, start, chunk.length);
    return chunk.length;
  }

  #startsRow(byte: number): boolean {
    return this.#depth === 1 && byte !== comma && byte !== closeList && !isSpace(byte);
  }

  #startRow(byte: number): void {
    this.#rows += 1;
    this.#rowLine = this.#line;
    if (!this.#commaSeen) this.#fail(`expected a comma before row ${this.#rows}`);
    this.#commaSeen = false;
    this.#depth = 2;
    this.#inString = byte === quote;
    this.#inScalar = byte !== openObject && byte !== openList;
  }

  /** True when the byte ends the row. */
  #inRow(byte: number): boolean {
    if (byte === quote) this.#inString = true;
    else if (byte === openObject || byte === openList) this.#depth += 1;
    else if (byte === closeObject || byte === closeList) this.#depth -= 1;
    else if (byte === lineFeed) this.#line += 1;
    return this.#depth === 1;
  }

  #endRow(): void {
    this.#depth = 1;
    this.#inScalar = false;
  }

  #between(byte: number): void {
    if (byte === lineFeed) this.#line += 1;
    else if (byte === comma && this.#depth === 1) {
      if (this.#commaSeen) this.#fail(`expected a row after row ${this.#rows}, found a comma`);
      this.#commaSeen = true;
    } else if (byte === openList && this.#depth === 0 && !this.#ended) this.#depth = 1;
    else if (byte === closeList && this.#depth === 1) {
      if (this.#commaSeen && this.#rows > 0) this.#fail('expected no comma after the last row');
      this.#depth = 0;
      this.#ended = true;
    } else if (this.#ended && !isSpace(byte)) this.#fail('expected nothing after the closing ]');
  }

  #fail(problem: string): never {
    throw new UserError(`${this.#file} line ${this.#line}: ${problem}; this is no valid JSON, fix the file`);
  }
}

/** Whether an odd number of backslashes ends before a place in a string; none of them stands before `from`. */
function isEscaped(chunk: Uint8Array, from: number, at: number): boolean {
  let first = at;
  while (first > from && chunk[first - 1] === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === lineFeed;
}
