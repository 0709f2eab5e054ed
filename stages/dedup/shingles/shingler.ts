import { grown } from '../../../base/growingColumn.ts';
import { mix32 } from '../../../base/hash32.ts';
import {
  characterTable,
  foldCharacters,
  foldText,
  ignored,
  joining,
  ownWord,
  separator,
} from './characterTable.ts';

/** Factor of the rolling hash: odd, without a pattern. */
const shingleBase = 0x2c1b3c6d;

/** Cuts texts into overlapping shingles (consecutive words) and returns their 32-bit hashes. */
export class Shingler {
  readonly #reader = new WordReader();
  readonly #size: number;
  /** `shingleBase` to the power of the size: the factor of the oldest token in a shingle. */
  readonly #leaving: number;
  /** Shingle hashes of the last text, in order with repeats; valid until the next text. */
  shingles: Int32Array = new Int32Array(1 << 12);

  /** @param size - Words of one shingle. */
  constructor(size: number) {
    this.#size = size;
    let leaving = 1;
    for (let power = 0; power < size; power++) leaving = Math.imul(leaving, shingleBase);
    this.#leaving = leaving;
  }

  /**
   * Reads a text and returns the number of shingles, at least 1: a text shorter than a shingle is one shingle, and
   * one without tokens uses its characters.
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

const fnvStart = 0x811c9dc5 | 0;
const fnvPrime = 0x01000193;

/**
 * Hashes words without creating strings. A word is a run of letters, marks and digits, or a single symbol or letter
 * of a script without spaces; case, compatibility forms and other punctuation are ignored.
 */
class WordReader {
  readonly #table = characterTable();
  /** Word hashes of the last text, in order; valid until the next text. */
  tokens: Int32Array = new Int32Array(1 << 12);

  /** Reads a text and returns the number of words. */
  read(text: string): number {
    const count = this.#scan(text, false);
    return count >= 0 ? count : this.#scan(foldCharacters(text), true);
  }

  /** Number of words; -1 if the text must be folded first. */
  #scan(text: string, isFolded: boolean): number {
    this.tokens = grown(this.tokens, text.length);
    const tokens = this.tokens;
    const table = this.#table;
    const { length } = text;
    let count = 0;
    let hash = fnvStart;
    for (let at = 0; at < length; at++) {
      const entry = table[text.charCodeAt(at)]!;
      if (entry < ownWord) {
        if (entry !== separator) hash = Math.imul(hash ^ entry, fnvPrime);
        else if (hash !== fnvStart) {
          tokens[count++] = mix32(hash);
          hash = fnvStart;
        }
        continue;
      }
      if (entry === ignored) continue;
      if (entry >= joining && !isFolded) return -1;
      const point = entry >= joining ? text.codePointAt(at)! : entry & 0xffff;
      if (entry >= joining && (point < 0xd800 || (point >= 0xe000 && point < 0x10000))) {
        hash = Math.imul(hash ^ point, fnvPrime);
        continue;
      }
      if (point >= 0x10000) at++;
      if (hash !== fnvStart) tokens[count++] = mix32(hash);
      tokens[count++] = mix32(Math.imul(fnvStart ^ point, fnvPrime));
      hash = fnvStart;
    }
    if (hash !== fnvStart) tokens[count++] = mix32(hash);
    return count;
  }
}
