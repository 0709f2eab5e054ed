import { grown } from '../../../base/grown.ts';
import { foldText } from './characterTable.ts';
import { mix32 } from './mix32.ts';
import { CharacterReader, type TokenReader, WordReader } from './tokenReaders.ts';

/** What a shingle is: so many words, or so many characters, in a row. */
export interface ShingleKind {
  readonly unit: 'word' | 'character';
  readonly size: number;
}

/** Factor of the rolling hash: odd, without a pattern. */
const shingleBase = 0x2c1b3c6d;

/** Cuts texts into overlapping shingles, of which it gives 32-bit hashes. */
export class Shingler {
  readonly #reader: TokenReader;
  readonly #size: number;
  /** `shingleBase` to the power of the size: what the oldest token of a shingle has been multiplied with. */
  readonly #leaving: number;
  /** Hashes of the last text's shingles, in order and with repeats; the shingler's own, until the next text. */
  shingles: Int32Array = new Int32Array(1 << 12);

  constructor({ unit, size }: ShingleKind) {
    this.#reader = unit === 'word' ? new WordReader() : new CharacterReader();
    this.#size = size;
    let leaving = 1;
    for (let power = 0; power < size; power++) leaving = Math.imul(leaving, shingleBase);
    this.#leaving = leaving;
  }

  /**
   * Reads a text and gives the number of its shingles, at least 1: a text with fewer tokens than a shingle has is one
   * shingle, and one without any token is its own characters.
   *
   * @param seed - Texts read with other seeds have no shingle in common.
   */
  read(text: string, seed = 0): number {
    const count = this.#reader.read(text);
    const { tokens } = this.#reader;
    this.shingles = grown(this.shingles, count + 1);
    return count < this.#size ? this.#short(text, tokens, count, seed) : this.#roll(tokens, count, seed);
  }

  #roll(tokens: Int32Array, count: number, seed: number): number {
    const size = this.#size;
    const leaving = this.#leaving;
    const { shingles } = this;
    let hash = 0;
    for (let at = 0; at < size; at++) hash = (Math.imul(hash, shingleBase) + tokens[at]!) | 0;
    shingles[0] = mix32(hash ^ seed);
    for (let at = size; at < count; at++) {
      hash = (Math.imul(hash, shingleBase) + tokens[at]! - Math.imul(tokens[at - size]!, leaving)) | 0;
      shingles[at - size + 1] = mix32(hash ^ seed);
    }
    return count - size + 1;
  }

  #short(text: string, tokens: Int32Array, count: number, seed: number): number {
    let hash = count;
    for (let at = 0; at < count; at++) hash = (Math.imul(hash, shingleBase) + tokens[at]!) | 0;
    this.shingles[0] = mix32((count === 0 ? hashOfCharacters(foldText(text).trim()) : hash) ^ seed);
    return 1;
  }
}

function hashOfCharacters(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, shingleBase) + text.charCodeAt(at)) | 0;
  return hash;
}
