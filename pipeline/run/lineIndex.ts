import { GrowingColumn } from '../../base/growingColumn.ts';

/** Position of a journal line: `index` and `count` as in its record line, offset and length in bytes. */
export interface LinePlace {
  readonly index: number;
  readonly count: number;
  readonly offset: number;
  readonly length: number;
}

/** Positions of a journal's lines in typed arrays: 20 bytes per line. */
export class LineIndex {
  readonly #index = new GrowingColumn(Uint32Array);
  readonly #count = new GrowingColumn(Uint32Array);
  readonly #length = new GrowingColumn(Uint32Array);
  /** Float64, since a journal may exceed 4 GiB. */
  readonly #offset = new GrowingColumn(Float64Array);

  get size(): number {
    return this.#index.length;
  }

  add({ index, count, length, offset }: LinePlace): void {
    this.#index.push(index);
    this.#count.push(count);
    this.#length.push(length);
    this.#offset.push(offset);
  }

  /** Position of line number `line`, from 0 in order of addition. */
  at(line: number): LinePlace {
    return {
      index: this.#index.at(line),
      count: this.#count.at(line),
      offset: this.#offset.at(line),
      length: this.#length.at(line),
    };
  }

  inInputOrder(): Uint32Array {
    const lines = Uint32Array.from({ length: this.size }, (_, line) => line);
    return lines.sort((a, b) => this.#index.at(a) - this.#index.at(b));
  }
}
