import { ByteGatherer } from '../../../base/rows/byteGatherer.ts';

/** A piece of a dataset file: what lies between rows, or a row's own bytes. All pieces together are the file. */
export type FilePiece =
  | { readonly kind: 'between'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'row';
      readonly bytes: Uint8Array;
      /** Line on which the row begins, from 1. */
      readonly line: number;
    };

/** Cuts a file, chunk by chunk, into pieces. */
export interface PieceScanner {
  push(chunk: Uint8Array): FilePiece[];
  /** Throws `UserError` when the file ends in the middle of a row. */
  end(): FilePiece[];
}

const lineFeed = 0x0a;

/** Cuts JSON lines: each line that is not blank is a row, without its line end. */
export function createLineScanner(): PieceScanner {
  return new LineScanner();
}

class LineScanner implements PieceScanner {
  readonly #rest = new ByteGatherer();
  #line = 1;

  push(chunk: Uint8Array): FilePiece[] {
    const pieces: FilePiece[] = [];
    let from = 0;
    for (let feed = chunk.indexOf(lineFeed); feed >= 0; feed = chunk.indexOf(lineFeed, from)) {
      this.#rest.add(chunk.subarray(from, feed));
      pieces.push(...this.#pieces(), { kind: 'between', bytes: chunk.subarray(feed, feed + 1) });
      this.#line += 1;
      from = feed + 1;
    }
    this.#rest.add(chunk.subarray(from));
    return pieces;
  }

  end(): FilePiece[] {
    return this.#pieces();
  }

  /** The gathered line: its byte order mark, the row, and white space at its end. */
  #pieces(): FilePiece[] {
    if (this.#rest.isEmpty) return [];
    const bytes = this.#rest.take()!;
    const from = this.#line === 1 && startsWithMark(bytes) ? 3 : 0;
    let to = bytes.length;
    while (to > from && isSpace(bytes[to - 1]!)) to -= 1;
    const pieces: FilePiece[] = [
      { kind: 'between', bytes: bytes.subarray(0, from) },
      { kind: 'row', bytes: bytes.subarray(from, to), line: this.#line },
      { kind: 'between', bytes: bytes.subarray(to) },
    ];
    return pieces.filter((piece) => piece.bytes.length > 0);
  }
}

function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
