import { normalForm } from '../../../schemas/normalForm.ts';

/** UTF-16 unit that ends a word: white space, control characters, most punctuation. */
export const separator = 0;
/** Flag of a unit that is a word by itself: symbols, and letters of scripts without spaces. */
export const ownWord = 1 << 16;
/** Flag of an ignored unit: soft hyphens, zero-width characters, variation selectors. */
export const ignored = 1 << 18;
/** Flag of a unit that may combine with the previous one: combining marks, vowels and final consonants of Hangul. */
export const joining = 1 << 19;
/** Flag of a unit that expands to several, or is half of a pair: it must be folded first. */
const unfolded = 1 << 20;

const units = 0x10000;
const ignorable = /\p{Default_Ignorable_Code_Point}/u;
const wordCharacter = /[\p{L}\p{M}\p{N}]/u;
const scriptWithoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Symbols and operator punctuation: without it `2 - 3` and `2 * 3` would be the same question. */
const operator = /[\p{S}\-*/%#&@\\]/u;
const joiningCharacter = /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]/u;

let made: Uint32Array | undefined;

/**
 * Folded unit and flag of each UTF-16 unit; built on the first call (40 ms). Letters have no flag, so that one
 * comparison detects them.
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

/** Folds case and compatibility forms of a short text; idempotent. */
export function foldText(text: string): string {
  const folded = normalForm(text, 'NFKC').toLowerCase().toUpperCase().toLowerCase();
  return normalForm(folded, 'NFKC');
}

/**
 * Prepares a text for the table: composes marks, and expands ligatures, fractions and letters outside the first
 * plane. Folding by the table is left to it: folding the case of whole texts takes twenty times as long as reading
 * them.
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
