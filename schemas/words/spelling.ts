const pairs =
  'aeroplane airplane, aluminium aluminum, amongst among, analyse analyze, artefact artifact, catalogue catalog, cheque check, cosy cozy, defence defense, dialogue dialog, doughnut donut, draught draft, enquiry inquiry, fulfil fulfill, grey gray, jewellery jewelry, judgement judgment, kerb curb, learnt learned, licence license, manoeuvre maneuver, maths math, metre meter, mould mold, moustache mustache, mum mom, offence offense, plough plow, practise practice, pretence pretense, programme program, pyjamas pajamas, sceptical skeptical, skilful skillful, storey story, sulphur sulfur, towards toward, tyre tire, whilst while, yoghurt yogurt';
const american: ReadonlyMap<string, string> = new Map(
  pairs.split(', ').flatMap((pair) => {
    const [british, other] = pair.split(' ') as [string, string];
    return [[british, other] as const, [`${british}s`, `${other}s`] as const];
  }),
);
/** Endings that are spelled in two ways wherever they stand, and all of them at once, for most words have none. */
const endings: readonly (readonly [RegExp, string])[] = [
  [/our(?=(?:s|ed|ing|ful|less|able|ite)?$)/, 'or'],
  [/([iy])s(?=(?:e|es|ed|ing|er|ers|ation|ations)$)/, '$1z'],
  [/([bct])re(?=s?$)/, '$1er'],
  [/ogue(?=s?$)/, 'og'],
  // Not in `filled`: only behind a syllable before that of the ending.
  [/(?<=[aeiouy][^aeiouy]+[aeiouy])ll(?=(?:ed|ing|ers?)$)/, 'l'],
];
const anyEnding = new RegExp(endings.map(([ending]) => ending.source).join('|'));
const MIN_LETTERS_BEFORE_ENDING = 2;
const marks = /[\u0300-\u036f]/g;
const isAscii = /^[\0-\x7f]*$/;

/**
 * A folded word without what is only spelling: British endings as American ones, and Latin letters without accents. Two
 * words that mean different things stay apart, so names are not folded further: Michael is not Michel.
 */
export function foldSpelling(word: string): string {
  const plain = isAscii.test(word) ? word : word.normalize('NFD').replace(marks, '').normalize();
  const known = american.get(plain);
  if (known !== undefined) return known;
  const ending = plain.search(anyEnding);
  if (ending < MIN_LETTERS_BEFORE_ENDING) return plain;
  return endings.reduce((text, [pattern, by]) => text.replace(pattern, by), plain);
}

/** Words of fewer letters differ by a letter too often. */
const MIN_LETTERS = 5;
const vowels = /^[aeiouy]$/;

/**
 * Whether one word is the other with a slip of the pen: two letters changed places, a letter is missing or doubled, or
 * one vowel stands for another. Not so at the end, where Aliens is another film than Alien, and not with another
 * consonant, for Ireland is not Iceland.
 */
export function isMisspelling(a: string, b: string): boolean {
  if (a.length > b.length) return isMisspelling(b, a);
  if (a.length < MIN_LETTERS || b.length - a.length > 1 || a === b) return false;
  const at = firstDifference(a, b);
  if (at === 0 || at >= a.length - 1) return isTransposed(a, b);
  if (b.length > a.length) return a.slice(at) === b.slice(at + 1);
  const isVowel = vowels.test(a[at]!) && vowels.test(b[at]!);
  return isTransposed(a, b) || (isVowel && a.slice(at + 1) === b.slice(at + 1));
}

/** Whether two letters that stand side by side changed places, which hardly makes another name. */
export function isTransposed(a: string, b: string): boolean {
  if (a.length < MIN_LETTERS || a.length !== b.length || a === b) return false;
  const at = firstDifference(a, b);
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (a[at] === b[at]) at++;
  return at;
}
