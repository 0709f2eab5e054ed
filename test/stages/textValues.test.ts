import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAmount } from '../../schemas/answers/amount.ts';
import { judgeText } from '../../schemas/answers/judgeText.ts';
import { parseCalendarDate } from '../../schemas/words/calendarDate.ts';
import { readNumberWords } from '../../schemas/words/numberWords.ts';
import { cases } from '../support/cases.ts';

const settings = { minF1: 1, numberTolerance: 1e-9 };
const correct = (answer: string, ...golds: string[]) => judgeText(answer, golds, settings).correct;

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
];
const two = (number: number) => String(number).padStart(2, '0');
const ordinal = (day: number) => {
  const ending = day >= 11 && day <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
};

/** Ways to write a day: each is one and the same to the judge. */
const spellings: readonly ((year: number, month: number, day: number) => string)[] = [
  (year, month, day) => `${year}-${two(month)}-${two(day)}`,
  (year, month, day) => `${year}/${month}/${day}`,
  (year, month, day) => `${day}.${month}.${year}`,
  (year, month, day) => `${day} ${months[month - 1]} ${year}`,
  (year, month, day) => `${months[month - 1]} ${day}, ${year}`,
  (year, month, day) => `the ${ordinal(day)} of ${months[month - 1]}, ${year}`,
  (year, month, day) => `${months[month - 1]!.slice(0, 3)}. ${ordinal(day)} ${year}.`,
  (year, month, day) => `${two(day)}-${months[month - 1]!.slice(0, 3)}-${year}`.toUpperCase(),
  (year, month, day) => `${year} ${months[month - 1]} ${day}`,
  (year, month, day) => `  ${months[month - 1]}  ${day},  ${year} AD`,
];
const dayArbitrary = fc.date({
  min: new Date('1600-01-01'),
  max: new Date('2400-01-01'),
  noInvalidDate: true,
});
const spell = (date: Date, way: number) =>
  spellings[way]!(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
const wayArbitrary = fc.nat(spellings.length - 1);

describe('dates', () => {
  test('are equal in any two spellings, and only with the same day', () => {
    fc.assert(
      fc.property(dayArbitrary, dayArbitrary, wayArbitrary, wayArbitrary, (one, other, left, right) => {
        expect(correct(spell(one, left), spell(one, right))).toBe(true);
        const isSame = one.toISOString().slice(0, 10) === other.toISOString().slice(0, 10);
        expect(correct(spell(one, left), spell(other, right))).toBe(isSame);
      }),
      { numRuns: cases(1_000) },
    );
  });

  test.each([
    '1985',
    'May the fourth be with you',
    '1985-13-01',
    '31 April 1985',
    '0 May 1985',
    '0 BC',
    '12/11/1985',
    '',
  ])('%j is none', (text) => {
    expect(parseCalendarDate(text)).toBeUndefined();
  });
});

const below20 = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'],
  ...['twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

/** A number in English words, `and` where the British say it. */
function inWords(value: number, and: string): string {
  if (value < 20) return below20[value]!;
  if (value < 100)
    return `${tens[Math.floor(value / 10)]}${value % 10 === 0 ? '' : `-${below20[value % 10]}`}`;
  if (value < 1000) {
    const rest = value % 100 === 0 ? '' : `${and}${inWords(value % 100, and)}`;
    return `${below20[Math.floor(value / 100)]} hundred${rest}`;
  }
  const [scale, word] = (
    [
      [1e12, 'trillion'],
      [1e9, 'billion'],
      [1e6, 'million'],
      [1e3, 'thousand'],
    ] as const
  ).find(([size]) => value >= size)!;
  const rest = value % scale;
  const joined = rest === 0 ? '' : `${rest < 100 ? and : ' '}${inWords(rest, and)}`;
  return `${inWords(Math.floor(value / scale), and)} ${word}${joined}`;
}

describe('numbers', () => {
  test('in words are equal to those in digits, and to no others', () => {
    const number = fc.oneof(fc.nat(2_000), fc.nat(999_999_999_999_999));
    fc.assert(
      fc.property(number, number, fc.constantFrom(' ', ' and '), (value, other, and) => {
        expect(correct(inWords(value, and), String(value))).toBe(true);
        expect(correct(inWords(value, and), value.toLocaleString('en'))).toBe(true);
        expect(correct(inWords(value, and), String(other))).toBe(value === other);
      }),
      { numRuns: cases(1_000) },
    );
  });

  test('with a scale word are the number moved by so many digits', () => {
    fc.assert(
      fc.property(
        fc.nat(9_999),
        fc.constantFrom(['thousand', 3], ['million', 6], ['billion', 9]) as fc.Arbitrary<[string, number]>,
        (hundredths, [word, zeros]) => {
          const short = `${(hundredths / 100).toFixed(2)} ${word}`;
          const digits = String(BigInt(hundredths) * 10n ** BigInt(zeros - 2));
          expect(correct(short, digits)).toBe(true);
          expect(correct(`$${short}`, `${digits} dollars`)).toBe(true);
          expect(correct(short, String(BigInt(digits) + 1n))).toBe(false);
        },
      ),
    );
  });

  test.each([
    ['two hundred and', '200', 2],
    ['a million people', '1000000', 2],
    ['one direction', '1', 1],
    ['twenty twenty', '20', 1],
    ['hundred', undefined, 0],
    ['a man', undefined, 0],
    ['and five', undefined, 0],
    ['', undefined, 0],
  ])('%j begins with %j', (text, value, words) => {
    expect(readNumberWords(text.split(' '))).toEqual(
      value === undefined ? undefined : { value: BigInt(value), words },
    );
  });
});

describe('amounts', () => {
  const measures = [
    ['km', 'm', 1000],
    ['kilograms', 'g', 1000],
    ['hours', 'minutes', 60],
    ['years', 'months', 12],
    ['sq km', 'hectares', 100],
    ['MW', 'kilowatts', 1000],
    ['litres', 'mL', 1000],
    ['feet', 'inches', 12],
    ['GB', 'MB', 1000],
  ] as const;

  test('are equal in other units of the same dimension, and only there', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.constantFrom(...measures), (tenths, [large, small, factor]) => {
        const value = tenths / 10;
        const inSmall = (tenths * factor) / 10;
        expect(correct(`${value} ${large}`, `${inSmall} ${small}`)).toBe(true);
        expect(correct(`${value} ${large}`, `${inSmall + 1} ${small}`)).toBe(false);
        if (tenths > 0) expect(correct(`${value} ${large}`, `${value} ${small}`)).toBe(false);
      }),
    );
  });

  test.each([
    '',
    '5 6',
    '5, 6',
    '3-4',
    '1990-1991',
    '1970s',
    '7 (2019)',
    '5 km to the north of the town',
    '1.2.3',
    'x'.repeat(1e6),
  ])('%.20j is none', (text) => {
    expect(parseAmount(text)).toBeUndefined();
  });
});
