import { foldedText } from '../../../schemas/normalForm.ts';
import { parseCalendarDate } from '../../../schemas/words/calendarDate.ts';
import { foldWords } from '../../../schemas/words/foldWords.ts';
import { parsePlainNumber } from '../../../schemas/words/plainNumber.ts';

/** What a value amounts to, where it is a number or date: two with one unit can be compared. */
export interface Amount {
  readonly value: number;
  /** `date`, or a currency sign or `%`; empty for bare numbers, years among them. */
  readonly unit: string;
  /** The number, or the date's year: what a range is compared with. */
  readonly rough: number;
}

/** Keys that were worked out: growing asks for the same names again and again. */
const known = new Map<string, string>();
const MAX_KNOWN = 50_000;

/** Equal for spellings of one value: numbers and dates as such, names without case, accents, punctuation and article. */
export function termKey(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const key = newKey(text);
  known.set(text, key);
  return key;
}

function newKey(text: string): string {
  const number = parsePlainNumber(text);
  if (number) return `number ${number.decimal} ${number.unit}`;
  const date = parseCalendarDate(text);
  if (date) return `date ${date.year ?? ''}/${date.month ?? ''}/${date.day ?? ''}`;
  const words = foldWords(text);
  const bare = words[0] === 'the' && words.length > 1 ? words.slice(1) : words;
  // `C++` and `C#` are not `C`.
  const signs = /[+#]+\s*$/.exec(text)?.[0].trim() ?? '';
  return `words ${bare.join(' ') || foldedText(text)}${signs}`;
}

/** The amount that a key stands for; undefined for names, and for dates without a year. */
export function amountOf(key: string): Amount | undefined {
  const [kind, text = '', unit = ''] = key.split(' ');
  if (kind === 'number') return { value: Number(text), unit, rough: Number(text) };
  if (kind !== 'date') return undefined;
  const [year, month, day] = text.split('/').map((part) => (part === '' ? undefined : Number(part)));
  if (year === undefined) return undefined;
  return { value: year * 10_000 + (month ?? 0) * 100 + (day ?? 0), unit: 'date', rough: year };
}

/** Relations are the same whatever their case and white space; a `date of birth` is a `birth date`. */
export function relationKey(relation: string): string {
  return foldedText(relation).replace(/^(.+?) of (?:the )?(.+)$/, '$2 $1');
}
