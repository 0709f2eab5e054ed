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
  spaceless,
} from './characterTable.ts';

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

/** Cuts texts into tokens, of which it gives hashes. */
abstract class TokenReader {
  protected readonly table: Uint32Array = characterTable();
  /** The hashes of the last text's tokens, in order; the reader's own, until the next text. */
  tokens: Int32Array = new Int32Array(1 << 12);

  /** Reads a text and gives the number of its tokens. */
  read(text: string): number {
    const count = this.#scanned(text, false);
    return count >= 0 ? count : this.#scanned(foldCharacters(text), true);
  }

  #scanned(text: string, isFolded: boolean): number {
    // A symbol can have a space of its own on each side.
    this.tokens = grown(this.tokens, 2 * text.length);
    return this.scan(text, isFolded);
  }

  /** The number of tokens; -1 when the text has to be folded first. */
  protected abstract scan(text: string, isFolded: boolean): number;
}

/** Start and factor of FNV-1a. */
const fnvStart = 0x811c9dc5 | 0;
const fnvPrime = 0x01000193;

/**
 * Hashes the words of a text without making strings of them. A word is a run of letters, marks and digits; a symbol or
 * a letter of a script without spaces is one of its own; case, compatibility forms and other punctuation don't count.
 */
class WordReader extends TokenReader {
  protected override scan(text: string, isFolded: boolean): number {
    const { table, tokens } = this;
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

/** Stands between two words, however they were parted. */
const space = mix32(0x20);

/**
 * Hashes the characters of a text, as `WordReader` reads them, with one space between words and on both sides of a
 * symbol, but none beside a letter of a script without spaces: a shingle of Chinese is as many characters as one of
 * English.
 */
class CharacterReader extends TokenReader {
  protected override scan(text: string, isFolded: boolean): number {
    const { table, tokens } = this;
    let count = 0;
    let isApart = false;
    /** Whether the last character takes no space beside it; true at the start. */
    let isLastClose = true;
    for (let at = 0; at < text.length; at++) {
      const entry = table[text.charCodeAt(at)]!;
      if (entry === ignored) continue;
      if (entry === separator) {
        isApart = true;
        continue;
      }
      if (entry >= joining && !isFolded) return -1;
      const point = entry >= joining ? text.codePointAt(at)! : entry & 0xffff;
      if (point >= 0x10000) at++;
      const isMark = entry >= joining && point < 0x10000;
      const isClose: boolean = isMark ? isLastClose : point >= 0x10000 || (entry & spaceless) !== 0;
      const isSymbol = !isClose && (entry & ownWord) !== 0;
      if ((isApart || isSymbol) && !isMark && !isClose && !isLastClose) tokens[count++] = space;
      tokens[count++] = mix32(point);
      isApart = isSymbol;
      isLastClose = isClose;
    }
    return count;
  }
}
