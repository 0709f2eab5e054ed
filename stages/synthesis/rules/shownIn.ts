import { parseCalendarDate } from '../../../schemas/words/calendarDate.ts';
import { foldWords } from '../../../schemas/words/foldWords.ts';
import { cardinalOf, readNumberWords } from '../../../schemas/words/numberWords.ts';
import { parsePlainNumber } from '../../../schemas/words/plainNumber.ts';

/** Words that may be left out of a name, or stand in it: `Stone & Sail` is `Stone and Sail`. */
const small: ReadonlySet<string> = new Set(['a', 'an', 'the', 'and', 'of']);

/** Words within which a date's day, month and year stand, in any order. */
const DATE_WORDS = 8;

/**
 * Whether a text shows a value in any spelling: names without case, accents and punctuation, their words in any order or
 * joined; numbers in digits with any grouping or in words; dates in any order, months by name or number.
 */
export function shownIn(value: string, text: string): boolean {
  const digits = wholeAndFraction(value);
  return digits ? showsNumber(digits, text) : showsWords(value, text) || showsDate(value, text);
}

function showsWords(value: string, text: string): boolean {
  const wanted = tellingWords(value);
  if (wanted.length === 0) return text.includes(value.trim());
  const words = tellingWords(text);
  const sorted = [...wanted].sort().join(' ');
  const isHere = (_: string, at: number) =>
    [...words.slice(at, at + wanted.length)].sort().join(' ') === sorted ||
    isJoined(words, at, wanted.join(''));
  if (words.some(isHere)) return true;
  const [all, joined] = [foldWords(text), foldWords(value).join('')];
  return all.some((_, at) => isJoined(all, at, joined));
}

/** Whether words from a place on make a text when joined: `Tide water yard`, `tidewateryard`. */
function isJoined(words: readonly string[], at: number, joined: string): boolean {
  let text = '';
  if (!joined.startsWith(words[at]!)) return false;
  for (let next = at; next < words.length && text.length < joined.length; next++) text += words[next];
  return text === joined;
}

function tellingWords(text: string): readonly string[] {
  const words = foldWords(text);
  const telling = words.filter((word) => !small.has(word));
  return telling.length > 0 ? telling : words;
}

/** The digits of a number that is written without an exponent, before and behind the point. */
function wholeAndFraction(value: string): readonly [whole: string, fraction: string | undefined] | undefined {
  const digits = /^-?(\d+)(?:\.(\d+))?$/.exec(parsePlainNumber(value)?.decimal ?? '');
  return digits ? [digits[1]!, digits[2]] : undefined;
}

function showsNumber([whole, fraction]: readonly [string, string | undefined], text: string): boolean {
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "[,.\\s'’_]?");
  const rest = fraction === undefined ? '(?![.,]?\\d)' : `[.,]${fraction}(?!\\d)`;
  if (new RegExp(`(?<!\\d)(?<!\\d[.,])0*${grouped}${rest}`).test(text)) return true;
  const spelled = foldWords(text.replace(/\d[\d.,]*/g, 'x'));
  return fraction === undefined && numbersIn(spelled).includes(whole);
}

/** The words of a text, numbers in words as digits: years in pairs too (`eighteen forty-three`). */
function numbersIn(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; ) {
    const first = readNumberWords(words.slice(at));
    const second = first && readNumberWords(words.slice(at + first.words));
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
