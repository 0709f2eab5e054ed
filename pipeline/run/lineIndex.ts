/** Where one line of a journal stands: `index` and `count` as in its record line, place and length in bytes. */
export interface LinePlace {
  readonly index: number;
  readonly count: number;
  readonly offset: number;
  readonly length: number;
}

const FIRST_CAPACITY = 1024;

/** The places of a journal's lines in typed arrays: 20 bytes a line, whatever the lines hold. */
export class LineIndex {
  #index = new Uint32Array(FIRST_CAPACITY);
  #count = new Uint32Array(FIRST_CAPACITY);
  #length = new Uint32Array(FIRST_CAPACITY);
  /** A journal may grow past 4 GiB. */
  #offset = new Float64Array(FIRST_CAPACITY);
  #size = 0;

  /** Lines held. */
  get size(): number {
    return this.#size;
  }

  add(place: LinePlace): void {
    if (this.#size === this.#index.length) this.#grow();
    this.#index[this.#size] = place.index;
    this.#count[this.#size] = place.count;
    this.#length[this.#size] = place.length;
    this.#offset[this.#size] = place.offset;
    this.#size++;
  }

  /** The place of the line that was added as number `line`, from 0. */
  at(line: number): LinePlace {
    return {
      index: this.#index[line]!,
      count: this.#count[line]!,
      offset: this.#offset[line]!,
      length: this.#length[line]!,
    };
  }

  /** Line numbers in the order of their `index`. */
  inInputOrder(): Uint32Array {
    const lines = Uint32Array.from({ length: this.#size }, (_, line) => line);
    return lines.sort((a, b) => this.#index[a]! - this.#index[b]!);
  }

  #grow(): void {
    const capacity = this.#index.length * 2;
    this.#index = widened(this.#index, new Uint32Array(capacity));
    this.#count = widened(this.#count, new Uint32Array(capacity));
    this.#length = widened(this.#length, new Uint32Array(capacity));
    this.#offset = widened(this.#offset, new Float64Array(capacity));
  }
}

function widened<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
