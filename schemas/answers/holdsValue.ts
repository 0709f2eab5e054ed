import { foldWords, type PlacedWord, readableText } from '../words/foldWords.ts';
import { cardinalOf, readNumberWords, scaleWords } from '../words/numberWords.ts';
import { matchTyped, normaliseAnswer, typedPlainText, typedText } from './judgeText.ts';
import { type PlacedSlice, placesOf, type ReadText } from './readText.ts';
import { plainCharacters, statedWords } from './statedAnswer.ts';
import { findUnits } from './units.ts';

/** Default of `judge.number_tolerance`. */
const TOLERANCE = 1e-9;

/** Maximum words of a number, date or amount; `Thursday, the 12th of March 1956 AD` has seven. */
const MAX_WINDOW_WORDS = 8;
const MAX_WINDOW_CHARS = 60;

/**
 * True if a text contains a value in a spelling that the text judge accepts: the same words in order, ignoring case,
 * accents, punctuation and articles; a number, date or amount in digits or words and in other units. A part of
 * another word or number does not match.
 */
export function holdsValue(text: ReadText, value: string): boolean {
  const wanted = readValue(value);
  const { number, amount } = wanted.typed;
  const isMeasured = number !== undefined || amount?.noun === '' || (amount?.units.length ?? 0) > 0;
  return (!isMeasured && holdsWords(text, wanted)) || holdsTyped(text, wanted);
}

interface Value {
  readonly text: string;
  readonly spellings: readonly string[];
  readonly typed: ReturnType<typeof typedText>;
}

function readValue(raw: string): Value {
  const stated = statedWords(raw);
  const text = readableText(plainCharacters(stated));
  const spellings = [text, normaliseAnswer(stated)].map((spelling) => foldWords(spelling).join(''));
  return { text, spellings: [...new Set(spellings)], typed: typedText(stated) };
}

function holdsWords({ text, joined, bare }: ReadText, value: Value): boolean {
  if (value.spellings[0] === '') return value.text !== '' && text.includes(value.text.trim());
  const isWhole = (slice: PlacedSlice) => hasOwnDigits(text, slice, value) && hasOwnSigns(text, slice, value);
  return value.spellings.some((spelling) =>
    [joined, bare].some((words) => placesOf(spelling, words).some(isWhole)),
  );
}

/** True if digits at the ends of a slice are whole numbers: `Windows 3` is not in `Windows 3.1`. */
function hasOwnDigits(text: string, { start, end }: PlacedSlice, value: Value): boolean {
  const digits = (of: string) => (of.match(/\d+/g) ?? []).join(' ');
  const slice = text.slice(start, end);
  if (
    digits(slice).replace(/ (?=\d{3}(?: |$))/g, '') !== digits(value.text).replace(/ (?=\d{3}(?: |$))/g, '')
  )
    return false;
  return (
    !(/^\d/.test(slice) && continuesBefore(text, start)) && !(/\d$/.test(slice) && continuesAfter(text, end))
  );
}

const signs = /^[+#]+/;

/** `C` is neither `C++` nor `C#`. */
function hasOwnSigns(text: string, { end }: PlacedSlice, value: Value): boolean {
  const isShort = (foldWords(value.text).at(-1)?.length ?? 0) <= 2;
  const own = /[+#]+$/.exec(value.text)?.[0] ?? '';
  return !isShort || (signs.exec(text.slice(end, end + 3))?.[0] ?? '') === own;
}

/** True if a number continues to the left: the 500 of `1,500` and the 5 of `2.5`, not those of `12.5.1956`. */
function continuesBefore(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start);
  if (/\d\.$/.test(before)) return !isDotted(text, start);
  return /(?<!\d)\d{1,3}(?:,\d{3})*,$/.test(before) && /^\d{3}(?!\d)/.test(text.slice(start, start + 4));
}

/** True if a number continues to the right. */
function continuesAfter(text: string, end: number): boolean {
  const after = text.slice(end, end + 12);
  if (/^\.\d/.test(after)) return !isDotted(text, end);
  return (
    /^,\d{3}(?!\d)/.test(after) ||
    (/^[ \u00a0]\d{3}(?!\d)/.test(after) &&
      /(?<!\d)[1-9]\d{0,2}$/.test(text.slice(Math.max(0, end - 4), end))) ||
    /^ \d{1,2}\/\d{1,3}(?![\d/])/.test(after)
  );
}

const dottedDate = /(?<![\d.])(?:\d{1,2}\.\d{1,2}\.\d{4}|\d{4}\.\d{1,2}\.\d{1,2})(?![\d.]*\d)/g;

/** True inside a date written with full stops. */
function isDotted(text: string, at: number): boolean {
  const from = Math.max(0, at - 10);
  return text
    .slice(from, at + 10)
    .matchAll(dottedDate)
    .some(({ 0: found, index }) => index + from <= at && at <= index + from + found.length);
}

function holdsTyped(read: ReadText, value: Value): boolean {
  const { number, date, amount } = value.typed;
  if (!number && !date && !amount) return false;
  const mayBe = quickCheck(value);
  const tried = new Set<string>();
  for (const window of windowsOf(read)) {
    const key = `${window.text}\n${window.isFollowed}`;
    if (!mayBe(window.text) || tried.has(key)) continue;
    tried.add(key);
    if (isValue(window, value)) return true;
  }
  return false;
}

const leadingNumber = /^[^\p{L}]*(?:e[-+]?\d+)?/u;

const scalesBefore = /^(?:(?:hundred|thousand|million|billion|trillion|and|a|half)(?:\s+|$))+/i;

/** Cheap prefilter for words that cannot be the value: dates without its year, amounts of another kind. */
function quickCheck({ typed: { date, number, amount } }: Value): (text: string) => boolean {
  const inDate = date && `${Math.abs(date.year ?? date.day ?? 0)}`;
  const isDateOnly = date !== undefined && number === undefined;
  const kinds = new Set(amount?.units.map(({ dimension }) => dimension));
  const known = new Map<string, boolean>();
  const isOfKind = (words: string) => {
    const [unit = '', ...parts] = words.replace(scalesBefore, '').split(/[\s,]*(?:\band )?\d[\d.,]*\s*/);
    if (unit === '') return parts.length === 0;
    const units = findUnits(unit);
    return kinds.size === 0
      ? units.length > 0 || !unit.includes(' ')
      : units.some(({ dimension }) => kinds.has(dimension));
  };
  return (text) => {
    if (inDate !== undefined && text.includes(inDate)) return true;
    if (isDateOnly && amount === undefined) return false;
    const words = text.replace(leadingNumber, '');
    if (words === '' || !/^\W*\d/.test(text)) return true;
    const before = known.get(words);
    const answer = before ?? isOfKind(words);
    if (before === undefined) known.set(words, answer);
    return answer;
  };
}

interface Window {
  readonly text: string;
  /** True if the next word may be the counted noun. */
  readonly isFollowed: boolean;
}

function isValue({ text, isFollowed }: Window, { typed }: Value): boolean {
  const found = typedPlainText(text);
  const hasUnit = (of: typeof typed) => (of.number ? of.number.unit !== '' : (of.amount?.noun ?? '') !== '');
  const isBare = hasUnit(typed) && !hasUnit(found) && found.date === undefined;
  if (isBare && isFollowed) return false;
  if (matchTyped(found, typed, TOLERANCE)?.score === 1) return true;
  // The unit may be given elsewhere, such as in a table's header.
  const { amount } = typed;
  if (!isBare || !amount || amount.units.length === 0) return false;
  return matchTyped(found, typedPlainText(amount.decimal), TOLERANCE)?.score === 1;
}

function* windowsOf({ text, words }: ReadText): Generator<Window> {
  /** End of the last number in words. */
  let behind = 0;
  for (const [at, first] of words.entries()) {
    const isDigits = /^\d/.test(first.word);
    const spoken = isDigits || at < behind ? undefined : spokenAt(words, at);
    if (spoken) behind = at + spoken;
    if (!spoken && !isDigits && !monthOrDay.test(first.word)) continue;
    if (isDigits && continuesBefore(text, first.start)) continue;
    const start = startOf(text, first.start);
    if (isDigits) yield* attachedUnit(text, start, first);
    for (let last = at + (spoken ?? 1) - 1; last < Math.min(words.length, at + MAX_WINDOW_WORDS); last++) {
      const { end } = words[last]!;
      if (end - start > MAX_WINDOW_CHARS) break;
      if (goesOn(text, words, last)) continue;
      const isFollowed = /^[\s-]{0,2}\p{L}/u.test(text.slice(end, end + 4));
      yield { text: text.slice(start, end), isFollowed };
      const sign = /^ ?[%‰°′″€£¥₹$]/u.exec(text.slice(end, end + 2))?.[0];
      if (sign !== undefined) yield { text: text.slice(start, end + sign.length), isFollowed: false };
    }
  }
}

const monthOrDay = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|ad$)/;

/** Number of words of the spoken number that starts here; undefined without one. */
function spokenAt(words: readonly PlacedWord[], at: number): number | undefined {
  const first = words[at]!.word;
  if (!/^[a-z]+$/.test(first)) return undefined;
  if (cardinalOf(first) !== undefined) return 1;
  const row = words.slice(at, at + 2).map(({ word }) => word);
  if (readNumberWords(row) === undefined) return undefined;
  return readNumberWords(words.slice(at, at + 12).map(({ word }) => word))?.words;
}

/** Start including sign and currency: `-5`, `$5`, but not the dash of `1990-1991`. */
function startOf(text: string, start: number): number {
  const before = text.slice(Math.max(0, start - 5), start);
  return start - (/(?:(?<![\p{L}\p{N}])[-−–])?(?:US\$|[$€£¥₹])?$/u.exec(before)?.[0].length ?? 0);
}

/** Splits `330` from `330m`, which is one word. */
function* attachedUnit(text: string, start: number, { word, start: at }: PlacedWord): Generator<Window> {
  const [, digits = '', unit = ''] = /^(\d+)(\p{L}+)$/u.exec(word) ?? [];
  if (digits === '' || findUnits(unit).length === 0) return;
  yield { text: text.slice(start, at + digits.length), isFollowed: true };
}

const fractionOfOne = /^and (?:a|an|one|two|three) (?:half|halves|quarters?|thirds?|fifths?)(?!\p{L})/u;

function goesOn(text: string, words: readonly PlacedWord[], last: number): boolean {
  const { word, end } = words[last]!;
  const next = words[last + 1];
  if (/\d$/.test(word) && continuesAfter(text, end)) return true;
  if (/\p{L}$/u.test(word) && /^(?:\/|\^| per )/.test(text.slice(end, end + 5))) return true;
  if (!next || !/^[\s-]{1,2}$/.test(text.slice(end, next.start))) return false;
  const isNumber = /^\d+$/.test(word) || scaleWords.has(word) || readNumberWords([word]) !== undefined;
  if (!isNumber) return false;
  if (scaleWords.has(next.word) || fractionOfOne.test(text.slice(next.start, next.start + 24))) return true;
  return !/\d/.test(word) && readNumberWords([next.word]) !== undefined;
}
