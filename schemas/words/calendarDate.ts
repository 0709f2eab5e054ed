/** A date to its stated precision: a day, a month, a day of any year, or a year with its era. */
export interface CalendarDate {
  /** Undefined for `12 March`. Negative before the common era: -44 for `44 BC`. */
  readonly year: number | undefined;
  /** From 1. */
  readonly month: number | undefined;
  readonly day: number | undefined;
}

/** Maximum length of text parsed as a date. */
const MAX_CHARS = 60;

const monthNames = [
  'january february march april may june july august september october november december',
  'jan feb mar apr may jun jul aug sep oct nov dec',
].map((names) => names.split(' '));

const month = `(?<month>${[...monthNames.flat(), 'sept'].sort((a, b) => b.length - a.length).join('|')})\\.?`;
const day = '(?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?';
const year = '(?<year>\\d{3,4})';
const yearWithEra = '(?<year>\\d{1,4})(?: ?(?<era>bce?|ad|ce))?';
const eraBefore = '(?<era>ad) ?(?<year>\\d{1,4})';

/** Complete forms; all-digit dates are read only if unambiguous. */
const forms = [
  `${year}-(?<month>\\d{1,2})-(?<day>\\d{1,2})`,
  `${year}/(?<month>\\d{1,2})/(?<day>\\d{1,2})`,
  `${year}\\.(?<month>\\d{1,2})\\.(?<day>\\d{1,2})`,
  '(?<year>\\d{4})-(?<month>\\d{2})',
  '(?<day>\\d{1,2})\\. ?(?<month>\\d{1,2})\\. ?(?<year>\\d{4})',
  '(?<first>\\d{1,2})[/-](?<second>\\d{1,2})[/-](?<year>\\d{4})',
  `${day}[ -](?:of )?${month}(?:,? |-)${yearWithEra}`,
  `${month} ${day}(?:,? )${yearWithEra}`,
  `${year},? ${month} ${day}`,
  `${day} (?:of )?${month}`,
  `${month} ${day}`,
  `${month}(?: of)?,? (?<year>\\d{3,4})(?: ?(?<era>bce?|ad|ce))?`,
  '(?<year>\\d{1,4}) ?(?<era>bce?|ad|ce)',
  eraBefore,
].map((form) => new RegExp(`^${form}$`));

const weekday = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? /;

/** Parses a text that is exactly one date; undefined otherwise, and for a bare year, which is a number. */
export function parseCalendarDate(raw: string): CalendarDate | undefined {
  if (raw.length > MAX_CHARS) return undefined;
  const text = raw
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '')
    .replace(/\b([bc])\.c(?:\.e)?\.?$/, (_, first: string) => (first === 'b' ? 'bc' : 'ce'))
    .replace(/\ba\.d\.?/, 'ad')
    .replace(weekday, '');
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    if (groups) return dateOf(groups);
  }
  return undefined;
}

function dateOf(groups: Readonly<Record<string, string | undefined>>): CalendarDate | undefined {
  const { first, second, year: yearText, month: monthText, day: dayText, era } = groups;
  const order = first === undefined ? undefined : unambiguous(Number(first), Number(second));
  if (first !== undefined && !order) return undefined;
  const years = yearText === undefined ? undefined : Number(yearText) * (era?.startsWith('b') ? -1 : 1);
  const date = {
    year: years,
    month: order?.month ?? (monthText === undefined ? undefined : monthNumber(monthText)),
    day: order?.day ?? (dayText === undefined ? undefined : Number(dayText)),
  };
  return isPossible(date) ? date : undefined;
}

/** Resolves `25/12/1985` and `12/25/1985`; `03/12/1985` is ambiguous and skipped. */
function unambiguous(first: number, second: number): { month: number; day: number } | undefined {
  if (first === second) return { month: first, day: second };
  if (first > 12 && second <= 12) return { month: second, day: first };
  if (second > 12 && first <= 12) return { month: first, day: second };
  return undefined;
}

function monthNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const [long, short] = monthNames as [string[], string[]];
  const at = long.indexOf(text);
  return 1 + (at >= 0 ? at : short.indexOf(text.slice(0, 3)));
}

function isPossible({ year: ofYear, month: ofMonth, day: ofDay }: CalendarDate): boolean {
  if (ofYear === 0) return false;
  if (ofMonth === undefined) return ofDay === undefined;
  if (ofMonth < 1 || ofMonth > 12) return false;
  return ofDay === undefined || (ofDay >= 1 && ofDay <= daysOf(ofMonth, ofYear));
}

/** Days of a month; February may have 29 without a year and before the Gregorian calendar. */
function daysOf(ofMonth: number, ofYear: number | undefined): number {
  if (ofMonth !== 2) return [4, 6, 9, 11].includes(ofMonth) ? 30 : 31;
  if (ofYear === undefined || ofYear < 1583) return 29;
  const isLeap = (ofYear % 4 === 0 && ofYear % 100 !== 0) || ofYear % 400 === 0;
  return isLeap ? 29 : 28;
}
