import { hash32, mix32 } from '../../base/hash32.ts';
import type { FoldedWords } from '../../schemas/words/foldWords.ts';

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

  /** The hash of `length` words from `start`, 53 bits; of one less where the one at `leftOut` is among them. */
  run(kind: HashKind, start: number, length: number, leftOut = -1): number {
    let high = hashKinds[kind] + (leftOut < 0 ? length : length - 1);
    let low = Math.imul(high, 0x27d4eb2f);
    for (let at = start; at < start + length; at++) {
      if (at === leftOut) continue;
      high = Math.imul(high ^ this.#high[at]!, multipliers[0]);
      high ^= high >>> 15;
      low = Math.imul(low ^ this.#low[at]!, multipliers[1]);
      low ^= low >>> 13;
    }
    return (mix32(high) >>> 0) * 2 ** 21 + (mix32(low ^ high) >>> 11);
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
export function hashOfWords(words: readonly string[], kind: HashKind): number {
  return new WordHashes(words).run(kind, 0, words.length);
}

const hashesOfForms = new WeakMap<FoldedWords, WordHashes>();

/** Calls `visit` for each run of `length` words. */
export function forEachRun(
  form: FoldedWords,
  kind: HashKind,
  length: number,
  visit: (hash: number, start: number) => void,
): void {
  const hashes = hashesOfForms.get(form) ?? new WordHashes(form.words);
  hashesOfForms.set(form, hashes);
  for (let start = 0; start + length <= form.words.length; start++) {
    visit(hashes.run(kind, start, length), start);
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
  add(hash: number, row: number): void {
    const rows = this.rowsOf(hash);
    if (rows === 'formula' || rows.at(-1) === row) return;
    const more = rows.length === this.#maxRows ? 'formula' : [...rows, row];
    this.#mapOf(hash).set(hash, rows.length === 0 ? row : more);
  }

  /** The rows of a hash in ascending order. */
  rowsOf(hash: number): RowsOfHash {
    const held = this.#mapOf(hash).get(hash);
    return typeof held === 'number' ? [held] : (held ?? []);
  }

  #mapOf(hash: number): Map<number, number | RowsOfHash> {
    return this.#maps[hash % MAPS]!;
  }
}
