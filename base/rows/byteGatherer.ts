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
