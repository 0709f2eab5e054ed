import { normalForm } from '../../../schemas/normalForm.ts';

/** A UTF-16 unit that ends a word: white space, control characters, most punctuation. */
export const separator = 0;
/** Set where a unit is a word of its own: symbols, and the letters of scripts that put no spaces between words. */
export const ownWord = 1 << 16;
/** Set where a unit is passed over: soft hyphens, zero-width characters, variation selectors. */
export const ignored = 1 << 18;
/** Set where a unit may join what stands before it: combining marks, vowels and final consonants of Hangul. */
export const joining = 1 << 19;
/** Set where a unit stands for several, or is half of a pair: it has to be folded before it is read. */
const unfolded = 1 << 20;

const units = 0x10000;
const ignorable = /\p{Default_Ignorable_Code_Point}/u;
const wordCharacter = /[\p{L}\p{M}\p{N}]/u;
const scriptWithoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Symbols, and the punctuation that is an operator: without it `2 - 3` and `2 * 3` would be the same question. */
const operator = /[\p{S}\-*/%#&@\\]/u;
const joiningCharacter = /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]/u;

let made: Uint32Array | undefined;

/**
 * What each UTF-16 unit is to a word: its folded unit, and one of the flags above; made at the first call (40 ms).
 * Letters of words have no flag, so that one comparison tells them apart.
 */
export function characterTable(): Uint32Array {
  made ??= Uint32Array.from({ length: units }, (_, unit) => entryOf(unit));
  return made;
}

function entryOf(unit: number): number {
  const character = String.fromCharCode(unit);
  if (unit >= 0xd800 && unit < 0xe000) return unfolded | unit;
  if (ignorable.test(character)) return ignored;
  const folded = foldText(character);
  if (joiningCharacter.test(folded[0]!)) return joining | unit;
  if (folded.length !== 1 && !isSeparator(folded)) return unfolded | unit;
  if (isSeparator(folded)) return separator;
  const isOwn = scriptWithoutSpaces.test(folded) || operator.test(folded);
  return (isOwn ? ownWord : 0) | folded.charCodeAt(0);
}

function isSeparator(text: string): boolean {
  return !wordCharacter.test(text) && !operator.test(text);
}

/** A short text without differences of case and of compatibility forms; folding twice changes nothing. */
export function foldText(text: string): string {
  const folded = normalForm(text, 'NFKC').toLowerCase().toUpperCase().toLowerCase();
  return normalForm(folded, 'NFKC');
}

/**
 * A text in which every UTF-16 unit can be read by the table: marks are joined with what they stand on, and ligatures,
 * fractions and letters outside the first plane that stand for others are written out. What the table folds by itself
 * is left to it: folding the case of whole texts takes twenty times as long as reading them.
 */
export function foldCharacters(text: string): string {
  const table = characterTable();
  const joined = joinMarks(text, table);
  let written = '';
  let from = 0;
  for (let at = 0; at < joined.length; at++) {
    if (table[joined.charCodeAt(at)]! < unfolded) continue;
    const character = String.fromCodePoint(joined.codePointAt(at)!);
    const folded = foldText(character);
    if (folded !== character) {
      written += joined.slice(from, at) + folded;
      from = at + character.length;
    }
    at += character.length - 1;
  }
  return from === 0 ? joined : written + joined.slice(from);
}

function joinMarks(text: string, table: Uint32Array): string {
  for (let at = 0; at < text.length; at++) {
    if (table[text.charCodeAt(at)]! >= joining) return normalForm(text, 'NFKC');
  }
  return text;
}
