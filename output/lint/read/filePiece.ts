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

/** Bytes that gather over chunks. */
export class ByteGatherer {
  #parts: Uint8Array[] = [];

  add(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#parts.push(bytes);
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Everything since the last call. */
  take(): Uint8Array {
    const parts = this.#parts;
    this.#parts = [];
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }
}
