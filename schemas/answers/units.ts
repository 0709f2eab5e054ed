import { holdsNumberWord } from '../words/numberWords.ts';
import { divideRatios, multiplyRatios, parseRatio, type Ratio, ratio, ratioPower } from './ratio.ts';
import { looseDimensions, unitTable } from './unitTable.ts';

/** Dimension of a unit and its conversion. */
export interface Unit {
  /** Base quantities with their powers: `length time^-1`; empty for a ratio of equal quantities. */
  readonly dimension: string;
  /** Size of one unit in the dimension's base units. */
  readonly size: Ratio;
  /** Added after the multiplication; for temperatures. */
  readonly offset: Ratio;
}

const zero = ratio(0n)!;
const noUnit: Unit = { dimension: '', size: ratio(1n)!, offset: zero };

/** All meanings of a name: a pound is a weight and a currency. */
const meanings = new Map<string, Unit[]>();
for (const [dimension, rows] of Object.entries(unitTable)) {
  for (const [names, size, offset = '0'] of rows) {
    const unit = { dimension, size: exact(size), offset: exact(offset) };
    for (const name of names.split(' ')) {
      const key = name.normalize('NFKC');
      meanings.set(key, [...(meanings.get(key) ?? []), unit]);
    }
  }
}

function exact(size: string): Ratio {
  const [over = '', under = '1'] = size.split('/');
  return divideRatios(parseRatio(over)!, parseRatio(under)!)!;
}

const irregularPlurals: ReadonlyMap<string, string> = new Map([
  ['feet', 'foot'],
  ['inches', 'inch'],
  ['centuries', 'century'],
]);

/** Words for powers before or after a unit. */
const powerWords: ReadonlyMap<string, number> = new Map([
  ['square', 2],
  ['sq', 2],
  ['squared', 2],
  ['cubic', 3],
  ['cu', 3],
  ['cubed', 3],
]);

const MAX_NAME_WORDS = 2;

/** Maximum words of a compound unit. */
const MAX_WORDS = 10;

/**
 * All meanings of a unit in symbols or words: `km`, `square kilometres`, `m/s^2`, `dollars per hour`; empty if
 * unknown.
 */
export function findUnits(text: string): readonly Unit[] {
  const words = text
    .replace(/\.(?=\s|$)/g, '')
    .replace(/(?<=\p{L})-(?=\p{L})/gu, ' ')
    .replace(/(?:^| )per (?!cent\b)/gi, ' / ')
    .replaceAll('/', ' / ')
    .split(/[\s*·⋅]+/)
    .filter((word) => word !== '');
  return words.length > MAX_WORDS ? [] : readUnits(words);
}

function readUnits(words: readonly string[]): readonly Unit[] {
  let found: readonly Unit[] = [];
  for (let at = 0; at < words.length; ) {
    const sign = words[at] === '/' ? -1 : 1;
    if (sign < 0) at += 1;
    const before = powerWords.get(words[at]?.toLowerCase() ?? '');
    if (before !== undefined) at += 1;
    const factor = readFactor(words, at);
    if (!factor) return [];
    at += factor.words;
    const behind = powerWords.get(words[at]?.toLowerCase() ?? '');
    const isBehind = behind !== undefined && /d$/.test(words[at]!);
    if (isBehind) at += 1;
    const power = sign * (before ?? 1) * (isBehind ? behind : 1) * factor.power;
    const isWhole = found.length === 0 && at === words.length && power === 1;
    const others = found.length === 0 ? [noUnit] : found;
    found = isWhole
      ? factor.units
      : others.flatMap((left) => factor.units.flatMap((unit) => times(left, unit, power) ?? []));
  }
  return found;
}

interface Factor {
  readonly units: readonly Unit[];
  readonly power: number;
  /** Number of words consumed. */
  readonly words: number;
}

/** Longest unit name that starts at a word, including a power right after it. */
function readFactor(words: readonly string[], at: number): Factor | undefined {
  for (let count = Math.min(MAX_NAME_WORDS, words.length - at); count > 0; count--) {
    const text = words.slice(at, at + count).join('_');
    const [, name = text, power = '1'] = /^(.*[^\d^-])\^?(-?[1-9])$/u.exec(text) ?? [];
    const units = meaningsOf(name);
    if (units) return { units, power: Number(power), words: count };
  }
  return undefined;
}

function meaningsOf(name: string): readonly Unit[] | undefined {
  const known = meanings.get(name);
  // `KM` is `km`, while `M` is not `m`, nor `Mg` `mg`.
  return known || /^(?:.|M.)$/u.test(name) ? known : meanings.get(singular(name.toLowerCase()));
}

/** Singular form of each part of a name: `degrees_celsius`, `nautical_miles`. */
function singular(name: string): string {
  return name.replace(/[a-z]+/g, (word) => {
    const isPlural = word.length > 2 && word.endsWith('s') && !meanings.has(word);
    return irregularPlurals.get(word) ?? (isPlural ? word.slice(0, -1) : word);
  });
}

/** Undefined if the size has too many digits. */
function times(a: Unit, b: Unit, power: number): Unit | undefined {
  const raised = ratioPower(b.size, BigInt(power));
  const size = raised && multiplyRatios(a.size, raised);
  return size && { dimension: dimensionOf([a.dimension, 1], [b.dimension, power]), size, offset: zero };
}

/** Product of powers of dimensions in canonical order. */
function dimensionOf(...factors: readonly (readonly [dimension: string, power: number])[]): string {
  const powers = new Map<string, number>();
  for (const [dimension, power] of factors) {
    for (const [, name, own] of dimension.matchAll(/([^ ^]+)(?:\^(\S+))?/g)) {
      powers.set(name!, (powers.get(name!) ?? 0) + Number(own ?? 1) * power);
    }
  }
  return [...powers]
    .filter(([, power]) => power !== 0)
    .map(([name, power]) => (power === 1 ? name : `${name}^${power}`))
    .sort()
    .join(' ');
}

/** Quantity of a unit, independent of exact convertibility. */
function quantityOf({ dimension }: Unit): string {
  const factors = [...dimension.matchAll(/([^ ^]+)(?:\^(\S+))?/g)];
  return dimensionOf(
    ...factors.map(([, name, power]) => [looseDimensions[name!] ?? name!, Number(power ?? 1)] as const),
  );
}

/**
 * True when two amounts are equal by each meaning that their units share, false when by none, or when they measure
 * different things; undefined where that can't be told, as for a month and
 * 30 days, or a unit that is not known.
 *
 * @param equal compares the amounts by one meaning of each unit, both of one dimension
 */
export function equalMeasures(
  a: readonly Unit[],
  b: readonly Unit[],
  equal: (x: Unit, y: Unit) => boolean,
): boolean | undefined {
  const isSame = a.length === b.length && a.every((unit, at) => isSameUnit(unit, b[at]!));
  const pairs = (isSame ? a.slice(0, 1) : a).flatMap((x) =>
    (isSame ? b.slice(0, 1) : b)
      .filter(({ dimension }) => dimension === x.dimension)
      .map((y) => [x, y] as const),
  );
  if (pairs.length === 0) {
    if (a.length === 0 || b.length === 0) return undefined;
    return a.some((x) => b.some((y) => quantityOf(x) === quantityOf(y))) ? undefined : false;
  }
  const found = new Set(pairs.map(([x, y]) => equal(x, y)));
  return found.size === 1 ? found.has(true) : undefined;
}

/** True for the same unit under any of its names. */
export function isSameUnit(a: Unit, b: Unit): boolean {
  const isSame = (x: Ratio, y: Ratio) => x.over === y.over && x.under === y.under;
  return a.dimension === b.dimension && isSame(a.size, b.size) && isSame(a.offset, b.offset);
}

/** Words that change or void a number as an answer: comparisons, negations, judgements, order. */
const changing = new Set(
  [
    'or and but not no nor without more less fewer fewest least most than over under above below before after ago',
    'late early earlier later too many much few enough only just about around approximately roughly nearly almost',
    'is are was were be been does do did has have can could may might must should would will if unless except',
    'maybe perhaps possibly probably never always this that these those it',
    'plus mod modulo remainder remainders squared cubed factorial behind',
    'ahead up down left to from until through between as am pm st nd rd th ths',
    'maximum minimum max min bound bounds k fails works holds misses contradicts equals',
    'short missing extra failed wrong false incorrect except unless excluding including out off old each apart',
  ].flatMap((line) => line.split(' ')),
);

/** Plurals and unit symbols without a final `s`. */
const otherNouns = new Set(
  [
    'people children men women teeth mice geese sheep fish dice vertices indices matrices yen yuan',
    'sq cu mph kmh kph rpm hz khz mhz psi pa kpa atm n j kj w kw v c f celsius fahrenheit cc mol',
  ].flatMap((line) => line.split(' ')),
);

/** Maximum words after a number; more are a sentence. */
const MAX_COUNTED_WORDS = 5;

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
    words.length > MAX_COUNTED_WORDS ||
    /(?<![a-z^])\d/i.test(text) ||
    words.some((word) => changing.has(word)) ||
    holdsNumberWord(words)
  )
    return false;
  return size <= 1 || words.some(isNoun);
}

function isNoun(word: string): boolean {
  return findUnits(word).length > 0 || otherNouns.has(word) || /^[a-z]{2,}[^s'’]s$/.test(word);
}

/**
 * Normalised name of the counted noun, for words outside the unit table: `Red Balls` becomes `red ball`; empty for
 * `units`.
 */
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
