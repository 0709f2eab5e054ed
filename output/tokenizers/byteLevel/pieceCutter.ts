import { letter, lineEnd, number, other, space, surrogate } from './unicodeRanges.ts';

const apostrophe = 0x27;
const blank = 0x20;

/**
 * Cuts text into the pieces of the pattern that GPT-4, Llama 3 and Qwen share but for one number:
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
 * It takes linear time on any text: white space, which the last three alternatives all begin with, is read once.
 */
export class PieceCutter {
  readonly #classes: Uint8Array;
  readonly #digitsPerPiece: number;

  /** `classes` by code point, from {@link characterClasses}. */
  constructor(classes: Uint8Array, digitsPerPiece: number) {
    this.#classes = classes;
    this.#digitsPerPiece = digitsPerPiece;
  }

  /** End of the piece that begins at `from`, in UTF-16 units, if the text ends at `end`. */
  next(units: Uint16Array, from: number, end: number): number {
    const first = units[from]!;
    let kind = this.#classes[first]!;
    let second = from + 1;
    if (kind === surrogate) {
      kind = this.#classAt(units, from);
      second = from + 2;
    }
    if (kind === letter) return this.#runEnd(units, second, end, letter);
    if (kind === number) return this.#numberEnd(units, second, end);
    if (first === apostrophe) {
      const contraction = contractionEnd(units, second, end);
      if (contraction > 0) return contraction;
    }
    if (kind !== lineEnd && second < end) {
      const following = this.#classAt(units, second);
      if (following === letter) return this.#runEnd(units, second, end, letter);
      if (first === blank && following === other) kind = other;
    }
    if (kind !== other) return this.#whiteSpaceEnd(units, from, end);
    return this.#lineEndsEnd(units, this.#runEnd(units, second, end, other), end);
  }

  #classAt(units: Uint16Array, at: number): number {
    const kind = this.#classes[units[at]!]!;
    if (kind !== surrogate) return kind;
    return this.#classes[(units[at]! << 10) + units[at + 1]! - 0x35fdc00]!;
  }

  #runEnd(units: Uint16Array, from: number, end: number, kind: number): number {
    const classes = this.#classes;
    let at = from;
    while (at < end) {
      const here = classes[units[at]!]!;
      if (here === kind) at += 1;
      else if (here === surrogate && this.#classAt(units, at) === kind) at += 2;
      else break;
    }
    return at;
  }

  #numberEnd(units: Uint16Array, from: number, end: number): number {
    let at = from;
    for (let digits = 1; digits < this.#digitsPerPiece && at < end; digits++) {
      if (this.#classAt(units, at) !== number) break;
      at += this.#classes[units[at]!] === surrogate ? 2 : 1;
    }
    return at;
  }

  #lineEndsEnd(units: Uint16Array, from: number, end: number): number {
    let at = from;
    while (at < end && this.#classes[units[at]!] === lineEnd) at++;
    return at;
  }

  /**
   * Rule for white space: all of it at the end of the text, else up to its last line end, else all but its last
   * character.
   */
  #whiteSpaceEnd(units: Uint16Array, from: number, end: number): number {
    let at = from;
    let afterLineEnd = 0;
    for (; at < end; at++) {
      const kind = this.#classes[units[at]!]!;
      if (kind === lineEnd) afterLineEnd = at + 1;
      else if (kind !== space) break;
    }
    if (afterLineEnd > 0) return afterLineEnd;
    return at === end || at === from + 1 ? at : at - 1;
  }
}

/** End of `'s`, `'re` and the like if `at` is after the apostrophe; otherwise 0. */
function contractionEnd(units: Uint16Array, at: number, end: number): number {
  if (at >= end) return 0;
  switch (lowerCase(units[at]!)) {
    case 0x73: // s
    case 0x74: // t
    case 0x6d: // m
    case 0x64: // d
    case 0x17f: // long s, which equals s when ignoring case
      return at + 1;
    case 0x72: // re
    case 0x76: // ve
      return at + 1 < end && lowerCase(units[at + 1]!) === 0x65 ? at + 2 : 0;
    case 0x6c: // ll
      return at + 1 < end && lowerCase(units[at + 1]!) === 0x6c ? at + 2 : 0;
    default:
      return 0;
  }
}

function lowerCase(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
}
