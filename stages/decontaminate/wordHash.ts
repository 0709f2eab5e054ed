import { hash32, mix32 } from '../../base/hash32.ts';
import type { FoldedWords } from '../../schemas/words/foldWords.ts';

/** 64 bits of a hash, as two unsigned 32-bit halves. */
export interface Hash64 {
  high: number;
  low: number;
}

/** What is hashed; the same words have another hash as another kind. */
const hashKinds = { ngram: 1, question: 2, bag: 3, telling: 4, gap: 5 } as const;
export type HashKind = keyof typeof hashKinds;

const multipliers = [0x9e3779b1, 0x85ebca6b] as const;

/** Hashes of words, so that runs of them are hashed without reading their letters again. */
export class WordHashes {
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;

  constructor(words: readonly string[]) {
    this.#high = new Uint32Array(words.length);
    this.#low = new Uint32Array(words.length);
    for (let at = 0; at < words.length; at++) {
      this.#high[at] = hash32(words[at]!);
      this.#low[at] = hash32(words[at]!, 0x2f0b4c47);
    }
  }

  /** The hash of `length` words from `start`, written into `into`; of one less where the one at `leftOut` is among them. */
  run(kind: HashKind, start: number, length: number, into: Hash64, leftOut = -1): Hash64 {
    let high = hashKinds[kind] + (leftOut < 0 ? length : length - 1);
    let low = Math.imul(high, 0x27d4eb2f);
    for (let at = start; at < start + length; at++) {
      if (at === leftOut) continue;
      high = Math.imul(high ^ this.#high[at]!, multipliers[0]);
      high ^= high >>> 15;
      low = Math.imul(low ^ this.#low[at]!, multipliers[1]);
      low ^= low >>> 13;
    }
    into.high = mix32(high) >>> 0;
    into.low = mix32(low ^ high) >>> 0;
    return into;
  }
}

/** Words of the shorter n-grams, which are indexed. GPT-3, PaLM, Llama and Tülu 3 look for runs of 8 to 13. */
export const shortNgram = 8;
/** Words of the longer n-grams, which are found by the shorter ones in them. */
export const longNgram = 13;

/** Fewer words than this leave no room for an edit between two 13-grams. */
export const mediumQuestion = 2 * longNgram;
/** In so many words there is a text of its own, whatever its names. */
export const longQuestion = 4 * longNgram;

/** The hash of a list of words as a whole. */
export function hashOfWords(words: readonly string[], kind: HashKind): Hash64 {
  return new WordHashes(words).run(kind, 0, words.length, { high: 0, low: 0 });
}

/** A hash as one number: 53 of its bits. */
export function hashNumber({ high, low }: Hash64): number {
  return high * 2 ** 21 + (low >>> 11);
}

const hashesOfForms = new WeakMap<FoldedWords, WordHashes>();

/** Calls `visit` for each run of `length` words, with one and the same hash object. */
export function forEachRun(
  form: FoldedWords,
  kind: HashKind,
  length: number,
  visit: (hash: Hash64, start: number) => void,
): void {
  const hashes = hashesOfForms.get(form) ?? new WordHashes(form.words);
  hashesOfForms.set(form, hashes);
  const hash: Hash64 = { high: 0, low: 0 };
  for (let start = 0; start + length <= form.words.length; start++) {
    visit(hashes.run(kind, start, length, hash), start);
  }
}

/** A map of JavaScript holds 16.7 million entries at most. */
const MAPS = 64;

/** Rows under a hash: those that were added, or `formula` where there were too many to tell anything. */
export type RowsOfHash = readonly number[] | 'formula';

/** Rows by the hash of what stands in them. Up to `maxRows` rows are kept of a hash; with one more it is a formula. */
export class NgramTable {
  readonly #maxRows: number;
  /** A row by itself is held as a number: most hashes have but one. */
  readonly #maps = Array.from({ length: MAPS }, () => new Map<number, number | RowsOfHash>());

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Adds a row to a hash, once; rows come in ascending order. */
  add(hash: Hash64, row: number): void {
    const rows = this.rowsOf(hash);
    if (rows === 'formula' || rows.at(-1) === row) return;
    const more = rows.length === this.#maxRows ? 'formula' : [...rows, row];
    this.#mapOf(hash).set(hashNumber(hash), rows.length === 0 ? row : more);
  }

  /** The rows of a hash in ascending order. */
  rowsOf(hash: Hash64): RowsOfHash {
    const held = this.#mapOf(hash).get(hashNumber(hash));
    return typeof held === 'number' ? [held] : (held ?? []);
  }

  #mapOf({ low }: Hash64): Map<number, number | RowsOfHash> {
    return this.#maps[low % MAPS]!;
  }
}
