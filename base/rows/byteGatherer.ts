/** Bytes that gather over chunks, up to a limit: what grows past it is let go. */
export class ByteGatherer {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** Everything since the last call; undefined when it was more than the limit. */
  take(): Buffer | undefined {
    const parts = this.#parts;
    const [first] = parts;
    const isKept = this.#bytes <= this.#maxBytes;
    this.#parts = [];
    this.#bytes = 0;
    if (!isKept) return undefined;
    if (!first || parts.length > 1) return Buffer.concat(parts);
    return Buffer.from(first.buffer, first.byteOffset, first.length);
  }
}
