import { decode, parseContentCodings } from './contentCodings.ts';

/** What was read of a body. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  /** True when there is more of it. */
  readonly cut: boolean;
}

/**
 * Reads a body and unpacks it. Neither what comes over the wire, nor what any of its codings unpacks to, is read
 * beyond `maxBytes`, so a small answer can't make a large one of itself.
 *
 * @throws UnreadableCoding
 * @throws the signal's reason, also while unpacking what has long come
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadBody> {
  const limit = new ByteLimit(maxBytes, signal);
  let pieces = limit.upTo(body);
  for (const coding of parseContentCodings(contentEncoding).reverse()) {
    pieces = limit.upTo(decode(coding, pieces));
  }
  const read = new Pieces();
  try {
    for await (const piece of pieces) read.add(piece);
  } catch (error) {
    // Where the wire was cut, the end of the coding is missing.
    if (!limit.wasPassed || signal.aborted) throw error;
  }
  return { bytes: read.joined(), cut: limit.wasPassed };
}

/** So many pieces are joined: a server may send a page byte by byte, and a piece takes a hundred bytes of its own. */
const JOINED_PIECES = 1024;

class Pieces {
  readonly #joined: Uint8Array[] = [];
  #last: Uint8Array[] = [];

  add(piece: Uint8Array): void {
    if (this.#last.push(piece) === JOINED_PIECES) this.#joinLast();
  }

  joined(): Uint8Array {
    this.#joinLast();
    return Buffer.concat(this.#joined);
  }

  #joinLast(): void {
    this.#joined.push(Buffer.concat(this.#last));
    this.#last = [];
  }
}

/** Ends each of several streams after so many bytes. */
class ByteLimit {
  wasPassed = false;
  readonly #maxBytes: number;
  readonly #signal: AbortSignal;

  constructor(maxBytes: number, signal: AbortSignal) {
    this.#maxBytes = maxBytes;
    this.#signal = signal;
  }

  async *upTo(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let room = this.#maxBytes;
    for await (const piece of pieces) {
      this.#signal.throwIfAborted();
      if (piece.length > room) {
        this.wasPassed = true;
        yield piece.subarray(0, room);
        return;
      }
      room -= piece.length;
      yield piece;
    }
  }
}
