import { distance } from 'fastest-levenshtein';

/** Maximum words for spelling comparison, which is quadratic; longer texts are compared only by common words. */
const MAX_SPELLED_WORDS = 12;
/** Minimum length of a word with a tolerated spelling difference: `Iran` and `Iraq` differ. */
const MIN_SPELLED_CHARS = 5;
/** Minimum share of common content words for possibly equal texts. */
const MIN_SHARED = 0.5;

const functionWords: ReadonlySet<string> = new Set(
  'a an the of in on at to by for from with and or is was are were be it he she they that this his her their its'.split(
    ' ',
  ),
);

/** Synonyms in answers to yes-or-no questions. */
const sameWords: ReadonlyMap<string, string> = new Map([
  ['true', 'yes'],
  ['false', 'no'],
]);

/** Normalised words of a text, with the text. */
interface Words {
  readonly text: string;
  readonly normalised: string;
}

/**
 * Tells whether two different texts may state the same answer in other words, which no rule can decide: one says all
 * the words of the other and more, they differ in spelling, spaces or accents, one abbreviates the other, or they share
 * most of their words. Texts that differ in numbers alone state different answers. Linear in the length of long texts.
 */
export function mayBeSame(a: Words, b: Words): boolean {
  const [left, right] = [contentWords(a), contentWords(b)];
  if (left.length === 0 || right.length === 0) return false;
  if (left.join('') === right.join('')) return true;
  if (isAcronym(left, b) || isAcronym(right, a)) return true;
  const { onlyLeft, onlyRight, respelled } = difference(left, right);
  const isReordered = onlyLeft.length + onlyRight.length + respelled === 0;
  if (isReordered) return a.text.includes(',') !== b.text.includes(',');
  if (onlyLeft.length === 0 || onlyRight.length === 0) return true;
  if ([...onlyLeft, ...onlyRight].every(isNumeral)) return false;
  const shared = left.length - onlyLeft.length;
  return (2 * shared) / (left.length + right.length) > MIN_SHARED;
}

/** Content words without accents; all words if there are none. */
function contentWords({ normalised }: Words): string[] {
  const words = normalised.normalize('NFD').replace(/\p{M}/gu, '').split(' ');
  const content = words.filter((word) => !functionWords.has(word));
  return (content.length > 0 ? content : words).map((word) => sameWords.get(word) ?? word);
}

/** Words of each list missing in the other, counted with multiplicity; spelling variants match. */
function difference(left: readonly string[], right: readonly string[]) {
  const rest = new Map<string, number>();
  for (const word of right) rest.set(word, (rest.get(word) ?? 0) + 1);
  const take = (word: string | undefined) => {
    const count = word === undefined ? 0 : (rest.get(word) ?? 0);
    if (count > 0) rest.set(word!, count - 1);
    return count > 0;
  };
  const others = left.filter((word) => !take(word));
  const isLong = Math.max(left.length, right.length) > MAX_SPELLED_WORDS;
  const spelledAs = (word: string) =>
    right.find((other) => (rest.get(other) ?? 0) > 0 && isSpelling(word, other));
  const onlyLeft = isLong ? others : others.filter((word) => !take(spelledAs(word)));
  const onlyRight = [...rest].flatMap(([word, count]) => Array<string>(count).fill(word));
  return { onlyLeft, onlyRight, respelled: others.length - onlyLeft.length };
}

function isSpelling(a: string, b: string): boolean {
  if (isNumeral(a) && isNumeral(b)) return false;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (isAbbreviation(short, long)) return true;
  const chars = Math.min(a.length, b.length);
  if (chars < MIN_SPELLED_CHARS || chars > 40 || /\d/.test(a + b)) return false;
  return distance(a, b) <= (chars < 8 ? 1 : 2);
}

/** True for `J` of Joanne, `Prof` of Professor, `St` of Saint. */
function isAbbreviation(short: string, long: string): boolean {
  if (/\d/.test(short + long) || short === '') return false;
  const isContracted = short.length <= 4 && short[0] === long[0] && short.at(-1) === long.at(-1);
  return long.startsWith(short) || (isContracted && isWithin(short, long));
}

/** True if the letters of one word occur in another in order. */
function isWithin(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}

/** True for `HMI` and `USA` and the words they abbreviate. */
function isAcronym([only, ...others]: readonly string[], { normalised }: Words): boolean {
  if (only === undefined || others.length > 0 || !/^\p{L}{2,8}$/u.test(only)) return false;
  const words = normalised.split(' ');
  const initials = (list: readonly string[]) => list.map(([first]) => first).join('');
  const content = words.filter((word) => !functionWords.has(word));
  return words.length > 1 && [words, content].some((list) => initials(list).startsWith(only));
}

function isNumeral(word: string): boolean {
  return /^(?:\p{N}+.*|[ivxlcdm]+|\p{L})$/u.test(word);
}
