import { parseCalendarDate } from '../../../schemas/words/calendarDate.ts';
import { foldWords, invisible } from '../../../schemas/words/foldWords.ts';
import {
  cardinalOf,
  readNumberWords,
  readSpokenNumber,
  scaleWords,
} from '../../../schemas/words/numberWords.ts';
import { parsePlainNumber } from '../../../schemas/words/plainNumber.ts';

/** Words that names may gain or lose: `Stone & Sail` is `Stone and Sail`. */
const small: ReadonlySet<string> = new Set(['a', 'an', 'the', 'and', 'of']);

/** Maximum distance in words of a date's day, month and year, in any order. */
const DATE_WORDS = 8;

/**
 * True if a text contains a value in any spelling: names without case, accents and punctuation, with words in any order
 * or joined, and with look-alike letters; numbers in digits with any grouping or in words, with scale words and
 * fractions; dates in any order, months by name or number.
 */
export function shownIn(value: string, text: string): boolean {
  const visible = text.replace(invisible, '');
  if (shows(value, visible)) return true;
  const [latinValue, latin] = [inLatin(value), inLatin(visible)];
  return (latinValue !== value || latin !== visible) && shows(latinValue, latin);
}

function shows(value: string, text: string): boolean {
  const digits = wholeAndFraction(value) ?? wholeAndFraction(numberOfValue(value));
  if (digits && new Set([text, inDigits(text)]).values().some((form) => showsNumber(digits, form)))
    return true;
  return !wholeAndFraction(value) && (showsWords(value, text) || showsDate(value, text));
}

/** Letters of other scripts with their Latin look-alikes. */
const lookAlikes: ReadonlyMap<string, string> = new Map(
  [
    ['АВСЕНІЈКМОРЅТХУҮԌԚԜЁЇ', 'ABCEHIJKMOPSTXYYGQWEI'],
    ['асеорхуіјѕһԁԛԝѵкёїӏ', 'aceopxyijshdqwvkeil'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿΆΈΉΊΌΎ', 'ABEZHIKMNOPTYXCJAEHIOY'],
    ['αονρικυχγϲϳάόίύ', 'aovpikuxycjaoiu'],
    ['ՕՍՏԼօոսհյցզ', 'OUSLonuhjgq'],
    ['ıɑɡɩ', 'iagi'],
    ['ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', 'abcdefghijklmnoprstuvwyz'],
  ].flatMap(([others, latin]) => [...others!].map((letter, at) => [letter, latin![at]!] as const)),
);
const lookAlike = new RegExp(`[${[...lookAlikes.keys()].join('')}]`, 'gu');

function inLatin(text: string): string {
  return text.replace(lookAlike, (letter) => lookAlikes.get(letter)!);
}

/** Decimal digits of single-character fractions with a finite expansion. */
const fractionSigns: ReadonlyMap<string, number> = new Map([
  ...([
    ['½', 0.5],
    ['¼', 0.25],
    ['¾', 0.75],
    ['⅕', 0.2],
    ['⅖', 0.4],
    ['⅗', 0.6],
    ['⅘', 0.8],
  ] as const),
  ...([
    ['⅛', 0.125],
    ['⅜', 0.375],
    ['⅝', 0.625],
    ['⅞', 0.875],
    ['⅒', 0.1],
  ] as const),
]);
const signedFraction = new RegExp(`(?<![\\d.,])(\\d{0,15}) ?([${[...fractionSigns.keys()].join('')}])`, 'gu');
const typedFraction = /(?<![\d.,/])(\d{1,15})[ -](\d{1,2})[/⁄](\d{1,3})(?![\d/])/g;
const shortScales: ReadonlyMap<string, number> = new Map([
  ...([
    ['k', 3],
    ['mn', 6],
    ['bn', 9],
    ['tn', 12],
  ] as const),
  ...scaleWords,
]);
const scaled = new RegExp(
  `(?<![\\d.,])(\\d[\\d,]{0,20})(\\.\\d{1,12})?[\\s-]*(${[...shortScales.keys()].join('|')})(?![\\p{L}\\d])`,
  'giu',
);

/** Converts fractions and scale words to digits: `3½` is 3.5, `1.2 million` 1200000. */
function inDigits(text: string): string {
  return text
    .replace(signedFraction, (_, whole, sign) => `${Number(whole || 0) + fractionSigns.get(sign)!}`)
    .replace(typedFraction, (typed, whole, over, under) => {
      const part = `${Number(over) / Number(under)}`;
      return /^0\.\d{1,6}$/.test(part) ? `${whole}${part.slice(1)}` : typed;
    })
    .replace(scaled, (_, whole: string, fraction: string | undefined, scale: string) => {
      const digits = fraction?.slice(1) ?? '';
      const power = shortScales.get(scale.toLowerCase())!;
      const moved = digits.padEnd(power, '0');
      const rest = moved.slice(power).replace(/0+$/, '');
      return `${whole.replaceAll(',', '')}${moved.slice(0, power)}${rest === '' ? '' : `.${rest}`}`;
    });
}

/** Digits of a value that is a number in another form: `1 million`, `3½`, `two and a half`; other values unchanged. */
function numberOfValue(value: string): string {
  const words = foldWords(value);
  const spoken = words.length > 1 ? readSpokenNumber(words) : undefined;
  const size = spoken && Number(spoken.over) / Number(spoken.under);
  return size === undefined ? inDigits(value) : spoken?.under === 1n ? `${spoken.over}` : `${size}`;
}

function showsWords(value: string, text: string): boolean {
  const wanted = tellingWords(value);
  if (wanted.length === 0) return text.includes(value.trim());
  const words = tellingWords(text);
  if (holdsTogether(words, wanted) || holdsJoined(words, wanted.join(''))) return true;
  return holdsJoined(foldWords(text), foldWords(value).join(''));
}

/**
 * True if words are adjacent in any order. Linear in the sum of both lengths, since a value may be as long as a page.
 */
function holdsTogether(words: readonly string[], wanted: readonly string[]): boolean {
  // Missing occurrences of each word; negative for surplus ones.
  const lacking = new Map<string, number>();
  let uneven = 0;
  const change = (word: string, by: number) => {
    const before = lacking.get(word) ?? 0;
    lacking.set(word, before + by);
    if (before === 0) uneven += 1;
    if (before + by === 0) uneven -= 1;
  };
  for (const word of wanted) change(word, 1);
  return words.some((word, at) => {
    change(word, -1);
    if (at >= wanted.length) change(words[at - wanted.length]!, 1);
    return uneven === 0;
  });
}

/** True if adjacent whole words join to a text: `Tide water yard`, `tidewateryard`. */
function holdsJoined(words: readonly string[], joined: string): boolean {
  const text = words.join('');
  const bounds = new Set([0]);
  let length = 0;
  for (const word of words) {
    length += word.length;
    bounds.add(length);
  }
  for (let at = text.indexOf(joined); at >= 0; at = text.indexOf(joined, at + 1))
    if (bounds.has(at) && bounds.has(at + joined.length)) return true;
  return false;
}

function tellingWords(text: string): readonly string[] {
  const words = foldWords(text);
  const telling = words.filter((word) => !small.has(word));
  return telling.length > 0 ? telling : words;
}

function wholeAndFraction(value: string): readonly [whole: string, fraction: string | undefined] | undefined {
  const digits = /^-?(\d+)(?:\.(\d+))?$/.exec(parsePlainNumber(value)?.decimal ?? '');
  return digits ? [digits[1]!, digits[2]] : undefined;
}

function showsNumber([whole, fraction]: readonly [string, string | undefined], text: string): boolean {
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "[,.\\s'’_]?");
  const rest = fraction === undefined ? '(?![.,]?\\d)' : `[.,]${fraction}(?!\\d)`;
  if (new RegExp(`(?<!\\d)(?<!\\d[.,])0*${grouped}${rest}`).test(text)) return true;
  const spelled = foldWords(text.replace(/\d[\d.,]*/g, 'x'));
  if (fraction === undefined)
    return numbersIn(spelled).includes(whole) || saysPartOfScale(BigInt(whole), spelled);
  return saysFraction(BigInt(`${whole}${fraction}`), 10n ** BigInt(fraction.length), spelled);
}

/** Maximum words of a spoken number that is a value. */
const MAX_SPOKEN_WORDS = 10;

/** True if words express `over / under`: `three and a half`, `two point five`. */
function saysFraction(over: bigint, under: bigint, words: readonly string[]): boolean {
  const ends = words.flatMap((word, at) => (word === 'point' || isPart(word) ? [at] : []));
  return ends.some((end) => {
    const last = words[end] === 'point' ? Math.min(words.length, end + 1 + `${under}`.length) : end + 1;
    for (let from = Math.max(0, last - MAX_SPOKEN_WORDS); from < last; from++) {
      const spoken = readSpokenNumber(words.slice(from, last));
      // Longest match only: `twenty-three and a half` is not 3.5.
      if (spoken) return spoken.over * under === over * spoken.under;
    }
    return false;
  });
}

/** True if words express a number as part of a scale word: `two and a half million`, `half a million`. */
function saysPartOfScale(value: bigint, words: readonly string[]): boolean {
  const scales = words.flatMap((word, at) => (scaleWords.has(word) ? [at] : []));
  return scales.some((at) => {
    const isOfOne = words[at - 1] === 'a';
    const end = isOfOne ? at - (words[at - 2] === 'of' ? 2 : 1) : at;
    for (let from = Math.max(0, end - MAX_SPOKEN_WORDS); from < end; from++) {
      const spoken = readSpokenNumber(words.slice(from, end));
      if (spoken) return spoken.over * 10n ** BigInt(scaleWords.get(words[at]!)!) === value * spoken.under;
    }
    return false;
  });
}

function isPart(word: string): boolean {
  return /^(?:half|halves|quarters?|thirds?)$|ths?$/.test(word);
}

/** Exceeds any whole number in words; unlimited slices would take quadratic time. */
const MAX_NUMBER_WORDS = 40;

/** Words of a text with spoken numbers as digits, including years in pairs (`eighteen forty-three`). */
function numbersIn(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; ) {
    const first = readNumberWords(words.slice(at, at + MAX_NUMBER_WORDS));
    const next = at + (first?.words ?? 0);
    const second = first && readNumberWords(words.slice(next, next + MAX_NUMBER_WORDS));
    if (first && second && isCentury(first.value) && second.value > 0n && second.value < 100n) {
      found.push(`${first.value * 100n + second.value}`);
    }
    found.push(first ? `${first.value}` : words[at]!);
    at += first?.words ?? 1;
  }
  return found;
}

function isCentury(value: bigint): boolean {
  return value >= 10n && value <= 21n;
}

function showsDate(value: string, text: string): boolean {
  const date = parseCalendarDate(value);
  if (date?.month === undefined) return false;
  const words = numbersIn(foldWords(text));
  const parts = [date.year, date.day].filter((part) => part !== undefined);
  return words.some((_, at) => {
    const near = words.slice(at, at + DATE_WORDS);
    const months = near.flatMap((word, place) => (monthOf(word) === date.month ? [place] : []));
    return months.some((month) => {
      const others = near.filter((_word, place) => place !== month).map(numberOf);
      return parts.every((part) => others.includes(part));
    });
  });
}

function monthOf(word: string): number | undefined {
  if (/^\d{1,2}$/.test(word)) return Number(word);
  return /^\p{L}/u.test(word) ? parseCalendarDate(`${word} 1900`)?.month : undefined;
}

function numberOf(word: string): number | undefined {
  const digits = /^(\d+)(?:st|nd|rd|th)?$/.exec(word)?.[1];
  if (digits !== undefined) return Number(digits);
  const cardinal = cardinalOf(word);
  const read = cardinal === undefined ? undefined : readNumberWords([cardinal]);
  return read && Number(read.value);
}
