import { findUnits } from './units.ts';

/** Words by which a number becomes another answer, or none: comparing, denying, judging, multiplying, ordering. */
const changing = new Set(
  [
    'or and but not no nor without more less fewer fewest least most than over under above below before after ago',
    'late early earlier later too many much few enough only just about around approximately roughly nearly almost',
    'is are was were be been does do did has have can could may might must should would will if unless except',
    'maybe perhaps possibly probably never always this that these those it',
    'plus minus mod modulo remainder remainders squared cubed factorial behind',
    'ahead up down left to from until through between as am pm st nd rd th ths',
    'half halves third thirds fourth fourths quarter quarters fifth fifths sixth sixths seventh sevenths eighth eighths',
    'ninth ninths tenth tenths hundredth hundredths thousandth thousandths dozen dozens hundred hundreds',
    'thousands millions billions maximum minimum max min bound bounds k fails works holds misses contradicts equals',
    'short missing extra failed wrong false incorrect except unless excluding including out off old each apart',
  ].flatMap((line) => line.split(' ')),
);

/** Plurals and symbols of units that have no `s` at the end. */
const otherNouns = new Set(
  [
    'people children men women teeth mice geese sheep fish dice vertices indices matrices yen yuan',
    'sq cu mph kmh kph rpm hz khz mhz psi pa kpa atm n j kj w kw v c f celsius fahrenheit cc mol',
  ].flatMap((line) => line.split(' ')),
);

/** More words are a sentence. */
const MAX_WORDS = 5;

/**
 * True for words behind a number that are a unit, or a noun in the plural for what is counted: `square inches`,
 * `red balls`. `or more` and `is wrong` are not, and a single noun only behind what is at most one: `3/4 cup`.
 */
export function isCounted(text: string, size: number): boolean {
  const words =
    text
      .toLowerCase()
      .replaceAll('.', '')
      .match(/[a-z'’]+/g) ?? [];
  // `5\text{M}` is five million, `5\text{ m}` a length.
  if (
    /\bM\b/.test(text) ||
    words.length > MAX_WORDS ||
    /(?<![a-z^])\d/i.test(text) ||
    words.some((word) => changing.has(word))
  )
    return false;
  return size <= 1 || words.some(isNoun);
}

function isNoun(word: string): boolean {
  return findUnits(word).length > 0 || otherNouns.has(word) || /^[a-z]{2,}[^s'’]s$/.test(word);
}

/** What is counted in one spelling, to compare words that no table knows: `Red Balls` are `red ball`; empty for `units`. */
export function nounName(text: string): string {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/ ]/gu, '')
    .split(/\s+/)
    .map((word) => word.replace(/(?<=[a-z]{2})s$/, ''));
  const noun = words
    .filter((word, at) => word !== words[at - 1])
    .join(' ')
    .trim();
  return /^(?:(?:square|cubic|sq|cu) )?unit(?: ?[23]| squared| cubed)?$/.test(noun) ? '' : noun;
}
