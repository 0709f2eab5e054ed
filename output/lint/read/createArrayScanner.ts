import { JsonCutter, type JsonPiece } from '../../../base/rows/jsonCutter.ts';
import { UserError } from '../../../base/userError.ts';
import type { FilePiece, PieceScanner } from './filePiece.ts';

const [comma, openList, closeList, lineFeed] = Buffer.from(',[]\n') as unknown as number[];

/**
 * Cuts a JSON list into its rows without parsing them, so that one row is in memory at a time and each row's bytes
 * and line are known. `JSON.parse` judges the row itself.
 *
 * @param file named in the messages of errors
 */
export function createArrayScanner(file: string): PieceScanner {
  return new ArrayScanner(file);
}

class ArrayScanner implements PieceScanner {
  readonly #file: string;
  readonly #cutter = new JsonCutter({ onlyArray: true });
  #place: 'before' | 'inside' | 'behind' = 'before';
  #commaSeen = true;
  #rows = 0;
  #line = 1;

  constructor(file: string) {
    this.#file = file;
  }

  push(chunk: Uint8Array): FilePiece[] {
    return this.#cutter.push(chunk).map((piece) => this.#checked(piece));
  }

  end(): FilePiece[] {
    const pieces = this.#cutter.end().map((piece) => this.#checked(piece));
    const [last] = pieces;
    if (last?.kind === 'row') {
      throw new UserError(
        `${this.#file}: ends in the middle of row ${this.#rows}, which begins on line ${last.line}; the file was cut off, write it again`,
      );
    }
    if (this.#place === 'behind') return pieces;
    throw new UserError(
      `${this.#file}: ends after row ${this.#rows} without the closing ]; the file was cut off, write it again`,
    );
  }

  #checked({ kind, bytes }: JsonPiece): FilePiece {
    if (kind === 'between') {
      for (const byte of bytes!) this.#between(byte);
      return { kind, bytes: bytes! };
    }
    this.#startRow();
    const line = this.#line;
    for (let at = bytes!.indexOf(lineFeed!); at >= 0; at = bytes!.indexOf(lineFeed!, at + 1)) this.#line += 1;
    return { kind, bytes: bytes!, line };
  }

  #startRow(): void {
    this.#refuseBehind();
    this.#rows += 1;
    if (!this.#commaSeen) this.#fail(`expected a comma before row ${this.#rows}`);
    this.#commaSeen = false;
  }

  #between(byte: number): void {
    if (byte === lineFeed) this.#line += 1;
    else if (this.#place === 'before') {
      if (byte === openList) this.#place = 'inside';
    } else if (byte === comma || byte === closeList) {
      this.#refuseBehind();
      if (byte === comma) this.#comma();
      else this.#close();
    }
  }

  #comma(): void {
    if (this.#commaSeen) this.#fail(`expected a row after row ${this.#rows}, found a comma`);
    this.#commaSeen = true;
  }

  #close(): void {
    if (this.#commaSeen && this.#rows > 0) this.#fail('expected no comma after the last row');
    this.#place = 'behind';
  }

  #refuseBehind(): void {
    if (this.#place === 'behind') this.#fail('expected nothing after the closing ]');
  }

  #fail(problem: string): never {
    throw new UserError(`${this.#file} line ${this.#line}: ${problem}; this is no valid JSON, fix the file`);
  }
}
