import type { MathNode } from './mathNode.ts';
import { type Ratio, ratio } from './ratio.ts';

/** Names of one unit; the first is the one kept. */
const synonyms: readonly (readonly string[])[] = [
  ['percent', 'per cent', 'pct'],
  ['degree', 'deg'],
  ['dollar', 'usd'],
  ['cent'],
  ['euro', 'eur'],
  ['millimeter', 'millimetre', 'mm'],
  ['centimeter', 'centimetre', 'cm'],
  ['meter', 'metre', 'm'],
  ['kilometer', 'kilometre', 'km'],
  ['inch', 'inches', 'in'],
  ['foot', 'feet', 'ft'],
  ['yard', 'yd'],
  ['mile', 'mi'],
  ['gram', 'g'],
  ['kilogram', 'kg'],
  ['pound', 'lb'],
  ['ounce', 'oz'],
  ['second', 'sec', 's'],
  ['minute', 'min'],
  ['hour', 'hr', 'h'],
  ['liter', 'litre', 'l'],
  ['milliliter', 'millilitre', 'ml'],
  ['radian', 'rad'],
];

const unitNames = new Map(synonyms.flatMap((names) => names.map((name) => [name, names[0]!] as const)));

/** Units that measure the same, each with its size in the first of them. */
const sizes: readonly Readonly<Record<string, Ratio>>[] = [
  { meter: size(1), kilometer: size(1_000), centimeter: size(1, 100), millimeter: size(1, 1_000) },
  { inch: size(1), foot: size(12), yard: size(36), mile: size(63_360) },
  { gram: size(1), kilogram: size(1_000) },
  { ounce: size(1), pound: size(16) },
  { second: size(1), minute: size(60), hour: size(3_600), day: size(86_400) },
  { liter: size(1), milliliter: size(1, 1_000) },
  { cent: size(1), dollar: size(100) },
];

function size(over: number, under = 1): Ratio {
  return ratio(BigInt(over), BigInt(under))!;
}

/**
 * A unit in one spelling: `square Inches` and `in^2` are `inch 2`. Unknown words stay as they are, while
 * `units` says nothing.
 */
export function unitName(text: string): string {
  const words = text
    .toLowerCase()
    .replace(/(?<=[a-z])\^?\{?([23])/g, ' $1')
    .replace(/[^a-z0-9/ ]/g, '')
    .replace(/\bsquare ([a-z]+)/g, '$1 2')
    .replace(/\bcubic ([a-z]+)/g, '$1 3')
    .replace(/\bper\b(?! cent)/g, '/')
    .split(/[ ]+|(?=\/)|(?<=\/)/)
    .filter((word) => word !== '')
    .map(nameOf);
  const unit = words.filter((word, at) => word !== words[at - 1]).join(' ');
  return /^unit(?: [23])?$/.test(unit) ? '' : unit;
}

/** True for units of which it is known what they measure. */
export function isKnownUnit(unit: string): boolean {
  return unit.split(/[ /]+/).every((word) => /^\d?$/.test(word) || unitNames.get(word) === word);
}

/** True for one word in lower case that names a unit, in the singular or the plural. */
function isUnitName(word: string): boolean {
  return unitNames.has(nameOf(word));
}

function nameOf(word: string): string {
  return unitNames.get(word) ?? unitNames.get(word.replace(/s$/, '')) ?? word.replace(/(?<=[a-z]{2})s$/, '');
}

/** How many of `to` make one of `from`; undefined where they measure different things, or are not known. */
export function unitRatio(from: string, to: string): Ratio | undefined {
  const [, fromName, fromPower] = /^([a-z]+)(?: ([23]))?$/.exec(from) ?? [];
  const [, toName, toPower] = /^([a-z]+)(?: ([23]))?$/.exec(to) ?? [];
  if (fromName === undefined || toName === undefined || fromPower !== toPower) return undefined;
  const family = sizes.find((known) => Object.hasOwn(known, fromName) && Object.hasOwn(known, toName));
  if (!family) return undefined;
  const [a, b] = [family[fromName]!, family[toName]!];
  const power = BigInt(fromPower ?? 1);
  return ratio((a.over * b.under) ** power, (a.under * b.over) ** power);
}

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
export function isCounted(text: string, of: MathNode): boolean {
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
  return plainSize(of) <= 1 || words.some(isNoun);
}

function isNoun(word: string): boolean {
  return isUnitName(word) || otherNouns.has(word) || /^[a-z]{2,}[^s'’]s$/.test(word);
}

/** The size of a number or a fraction of numbers; NaN for all else. */
export function plainSize(node: MathNode): number {
  if (node.kind === 'number') return Number(node.value.over) / Number(node.value.under);
  return node.kind === 'quotient' ? plainSize(node.over) / plainSize(node.under) : Number.NaN;
}
