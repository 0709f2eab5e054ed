import { cardinalOf, readNumberWords, scaleWords } from '../words/numberWords.ts';
import { nearlyEqual, wholeDigits, withoutGaps } from '../words/plainNumber.ts';
import { addRatios, divideRatios, multiplyRatios, parseRatio, type Ratio, ratioToNumber } from './ratio.ts';
import { equalMeasures, findUnits, isCounted, isSameUnit, type Unit } from './units.ts';

/** A number with its unit or counted noun: `5 km`, `$1.5 million`, `one million`, `3rd`, `1,200 people`. */
export interface Amount {
  /** Sign and digits as written, with scale words applied and padding zeros removed. */
  readonly decimal: string;
  /** Meanings of the unit; empty for a bare number or a counted noun that is not a unit. */
  readonly units: readonly Unit[];
  /** Counted noun, words in lower case, symbols unchanged; `ordinal` for `3rd`; empty for a bare number. */
  readonly noun: string;
  /** True if the noun may be omitted: `1,200 people`, while `12 Monkeys` is a title. */
  readonly isCount: boolean;
}

/** Maximum length of text parsed as an amount. */
const MAX_CHARS = 300;

/** Maximum words of the counted noun; more are a sentence. */
const MAX_NOUN_WORDS = 4;

const number = new RegExp(
  String.raw`^(?<sign>[-+−–]?) ?(?<currency>US\$|[$€£¥₹]?) ?(?<sign2>[-−]?)(?<whole>${wholeDigits})(?<fraction>\.\d+)?(?:e(?<exponent>[-+]?\d{1,2})(?!\w))?(?![\d.,])(?<rest>.*)$`,
  'i',
);

const shortScales: ReadonlyMap<string, number> = new Map([
  ['k', 3],
  ['m', 6],
  ['mn', 6],
  ['bn', 9],
  ['b', 9],
]);

/** Parses a text that is exactly one amount; undefined otherwise. */
export function parseAmount(raw: string): Amount | undefined {
  const text = raw.length > MAX_CHARS ? '' : raw.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  return amountInDigits(text) ?? amountInWords(text) ?? fractionOf(text) ?? amountInParts(text);
}

function amountInDigits(text: string): Amount | undefined {
  const groups = number.exec(text)?.groups;
  if (!groups || (groups.whole === '' && groups.fraction === undefined)) return undefined;
  const { currency, rest } = groups as Record<'currency' | 'rest', string>;
  if (/^(?:st|nd|rd|th)$/i.test(rest)) return ordinal(`${Number(withoutGaps(groups.whole!))}`);
  // `1970s` is a decade, not a duration in seconds.
  if (rest === 's' && /^\d{4}$/.test(groups.whole!)) return undefined;
  const scaled = takeScale(rest.trim(), currency !== '');
  const exponent = Number(groups.exponent ?? 0) + scaled.exponent;
  const negative = /[-−–]/.test(`${groups.sign}${groups.sign2}`);
  const decimal = shifted(withoutGaps(groups.whole!), groups.fraction?.slice(1) ?? '', exponent);
  return withNoun(negative && decimal !== '0' ? `-${decimal}` : decimal, currency, scaled.rest);
}

function amountInWords(text: string): Amount | undefined {
  const spoken = text.split(/[ -]/);
  const words = spoken.map((word) => word.toLowerCase());
  const lastCardinal = words.length > 4 ? undefined : cardinalOf(words.at(-1)!);
  if (lastCardinal !== undefined) {
    const cardinal = [...words.slice(0, -1), lastCardinal];
    const read = readNumberWords(cardinal);
    if (read?.words === cardinal.length) return ordinal(`${read.value}`);
  }
  const read = readNumberWords(words);
  return read && withNoun(`${read.value}`, '', spoken.slice(read.words).join(' '));
}

/** Reads `5 1/2 km` as `5.5 km`; a fraction alone may be a date or a score. */
function fractionOf(text: string): Amount | undefined {
  const [, whole = '0', over = '', under = '', rest = ''] =
    /^(?:(\d{1,9})[ -])?(\d{1,3})\/(\d{1,3}) (?:of an? )?(\D+)$/.exec(text) ?? [];
  const value = (Number(whole) * Number(under) + Number(over)) / Number(under);
  return rest === '' || !Number.isInteger((Number(over) * 1e6) / Number(under))
    ? undefined
    : amountInDigits(`${value} ${rest}`);
}

/** Reads `5 ft 6 in` and `1 hour and 30 minutes`: each part has a smaller unit than the one before. */
function amountInParts(text: string): Amount | undefined {
  const [, before = '', last = ''] = /^(.*?\p{L}\.?)(?:,? and|,)? (\d+(?:\.\d+)?\D*)$/u.exec(text) ?? [];
  const [larger, smaller] = [
    amountInDigits(before) ?? (before && amountInParts(before)),
    amountInDigits(last),
  ];
  if (!larger || !smaller || !/^\d+$/.test(larger.decimal)) return undefined;
  for (const { size, dimension } of larger.units) {
    const unit = smaller.units.find((other) => other.dimension === dimension);
    const times = unit && divideRatios(size, unit.size);
    if (times?.under !== 1n || Number(smaller.decimal) >= Number(times.over)) continue;
    const [whole = '', ...fraction] = smaller.decimal.split('.');
    const sum = BigInt(larger.decimal) * times.over + BigInt(whole);
    return { ...smaller, decimal: [sum, ...fraction].join('.') };
  }
  return undefined;
}

function ordinal(decimal: string): Amount {
  return { decimal, units: [], noun: 'ordinal', isCount: false };
}

/** Takes a scale word before the counted noun: `million people`; abbreviations (`m`, `bn`) only after a currency. */
function takeScale(text: string, afterCurrency: boolean): { exponent: number; rest: string } {
  const words = text.split(' ');
  const first = words[0]!.toLowerCase();
  const exponent = scaleWords.get(first) ?? (afterCurrency ? shortScales.get(first) : undefined);
  if (exponent === undefined) return { exponent: 0, rest: text };
  const after = takeScale(words.slice(1).join(' '), false);
  return { exponent: exponent + after.exponent, rest: after.rest };
}

/** Digits with the decimal point shifted, without padding zeros. */
function shifted(whole: string, fraction: string, exponent: number): string {
  const digits = `${whole}${fraction}`;
  const point = whole.length + exponent;
  const padded = point < 0 ? '0'.repeat(-point) + digits : digits.padEnd(point, '0');
  const at = Math.max(point, 0);
  const before = padded.slice(0, at).replace(/^0+/, '') || '0';
  const after = padded.slice(at).replace(/0+$/, '');
  return after === '' ? before : `${before}.${after}`;
}

function withNoun(decimal: string, currency: string, rest: string): Amount | undefined {
  if (currency !== '') return rest === '' ? amountOf(decimal, currency) : undefined;
  const counted = rest.replace(/^-(?=\w)/, '').trim();
  if (counted.split(' ').length > MAX_NOUN_WORDS) return undefined;
  return amountOf(decimal, counted);
}

function amountOf(decimal: string, counted: string): Amount | undefined {
  if (counted === '') return { decimal, units: [], noun: '', isCount: false };
  const units = findUnits(counted);
  // `Mg` and `mg`, `M` and `m` are different things.
  const noun = counted.length <= 2 ? counted : counted.toLowerCase();
  if (units.length > 0) return { decimal, units, noun, isCount: false };
  // `3-4`, `5, 6`, `7 (2019)`: more than one number, or a sentence.
  const isNoun = /^\p{L}[\p{L}\p{M}' -]*$/u.test(counted);
  const isCount = counted === noun && isCounted(counted, Number.NaN);
  return isNoun ? { decimal, units, noun, isCount } : undefined;
}

/** Dimensions that an answer may omit: `$100` and `100`, `20%` and `20`. */
const unsaidDimensions: ReadonlySet<string> = new Set(['percent', 'USD', 'EUR', 'GBP', 'JPY', 'INR']);

/**
 * True when both are the same amount, false when they differ, `unknown` where units can't be converted, undefined when
 * they count different things that no table knows. One of the two may leave unsaid a currency, percent, and what is
 * counted: `1,200 people`.
 *
 * @param tolerance relative difference of equal numbers that are not whole
 */
export function equalTextAmounts(a: Amount, b: Amount, tolerance: number): boolean | 'unknown' | undefined {
  if (a.units.length > 0 && b.units.length > 0) {
    const equal = equalMeasures(a.units, b.units, (x, y) =>
      isSameUnit(x, y)
        ? equalDecimals(a, b, tolerance)
        : equalConverted(inBaseUnits(a, x), inBaseUnits(b, y), tolerance),
    );
    return equal ?? 'unknown';
  }
  if (a.noun === b.noun || isUnsaid(a, b) || isUnsaid(b, a)) return equalDecimals(a, b, tolerance);
  return a.noun.toLowerCase() === b.noun.toLowerCase() ? false : undefined;
}

function isUnsaid(a: Amount, b: Amount): boolean {
  if (a.noun !== '' || b.noun === 'ordinal') return false;
  if (b.units.length === 0) return b.isCount;
  return b.units.every(({ dimension }) => unsaidDimensions.has(dimension));
}

function inBaseUnits({ decimal }: Amount, { size, offset }: Unit): Ratio | undefined {
  const number = parseRatio(decimal.replace('-', ''));
  const scaled = number && multiplyRatios(number, size);
  return scaled && addRatios(decimal.startsWith('-') ? { ...scaled, over: -scaled.over } : scaled, offset);
}

/** Converts exactly; numbers with too many digits are not converted. */
function equalConverted(a: Ratio | undefined, b: Ratio | undefined, tolerance: number): boolean {
  if (!a || !b) return false;
  if (a.over === b.over && a.under === b.under) return true;
  const [left, right] = [ratioToNumber(a), ratioToNumber(b)];
  return Math.abs(left - right) <= tolerance * Math.max(Math.abs(left), Math.abs(right));
}

function equalDecimals(a: Amount, b: Amount, tolerance: number): boolean {
  if (a.decimal === b.decimal) return true;
  const bothWhole = !a.decimal.includes('.') && !b.decimal.includes('.');
  return !bothWhole && nearlyEqual(Number(a.decimal), Number(b.decimal), tolerance);
}
