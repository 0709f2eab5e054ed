import { GrowingColumn } from '../../base/growingColumn.ts';

/** Where one line of a journal stands: `index` and `count` as in its record line, place and length in bytes. */
export interface LinePlace {
  readonly index: number;
  readonly count: number;
  readonly offset: number;
  readonly length: number;
}

/** The places of a journal's lines in typed arrays: 20 bytes a line, whatever the lines hold. */
export class LineIndex {
  readonly #index = new GrowingColumn(Uint32Array);
  readonly #count = new GrowingColumn(Uint32Array);
  readonly #length = new GrowingColumn(Uint32Array);
  /** A journal may grow past 4 GiB. */
  readonly #offset = new GrowingColumn(Float64Array);

  /** Lines held. */
  get size(): number {
    return this.#index.length;
  }

  add({ index, count, length, offset }: LinePlace): void {
    this.#index.push(index);
    this.#count.push(count);
    this.#length.push(length);
    this.#offset.push(offset);
  }

  /** The place of the line that was added as number `line`, from 0. */
  at(line: number): LinePlace {
    return {
      index: this.#index.at(line),
      count: this.#count.at(line),
      offset: this.#offset.at(line),
      length: this.#length.at(line),
    };
  }

  /** Line numbers in the order of their `index`. */
  inInputOrder(): Uint32Array {
    const lines = Uint32Array.from({ length: this.size }, (_, line) => line);
    return lines.sort((a, b) => this.#index.at(a) - this.#index.at(b));
  }
}
