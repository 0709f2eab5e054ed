import { expect, test } from 'vitest';
import { judgeText } from '../../../schemas/answers/judgeText.ts';
import { judgeMath } from '../../../stages/judge/math/judgeMath.ts';
import { cases } from '../../support/cases.ts';
import { mulberry32 } from '../../support/mulberry32.ts';

/*
 * Pairs of money and of numbers in words, near each other, made by a seed with what each says: money in hundredths, a
 * number as a reduced fraction. Judges may leave a pair open, and never take two that differ for the same.
 */

const random = mulberry32(Number(process.env.COA_PAIRS_SEED ?? 400));
const below = (count: number) => Math.floor(random() * count);
const oneOf = <T>(items: readonly T[]): T => items[below(items.length)]!;

interface Said {
  readonly text: string;
  readonly says: string;
}

const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, ',');

function amount(cents: bigint): string {
  const whole = below(2) === 0 ? `${cents / 100n}` : grouped(`${cents / 100n}`);
  const rest = cents % 100n;
  return rest === 0n && below(2) === 0 ? whole : `${whole}.${`${rest}`.padStart(2, '0')}`;
}

/** `@` is the amount. */
const currencies: Readonly<Record<string, readonly string[]>> = {
  USD: ['$@', '\\$@', 'US$@', '@ dollars', 'USD @', '@ USD'],
  EUR: ['€@', '@ euros', '@ EUR', 'EUR @', '@ €'],
  GBP: ['£@', '@ pounds', '@ GBP', '\\pounds @'],
  JPY: ['¥@', '@ yen', 'JPY @'],
  INR: ['₹@', '@ rupees', 'INR @'],
};

function moneyPair(): [Said, Said] {
  const cents = BigInt(1 + oneOf([below(300), 100 * below(100), below(100_000), 100 * below(1_000_000)]));
  const near = oneOf([cents, cents, 100n * cents, cents + 1n, cents + 100n, 10n * cents]);
  const first = oneOf(Object.keys(currencies));
  const second = below(2) === 0 ? first : oneOf(Object.keys(currencies));
  const said = (currency: string, of: bigint): Said => ({
    text: oneOf(currencies[currency]!).replace('@', () => amount(of)),
    says: `${currency} ${of}`,
  });
  return [said(first, cents), said(second, near)];
}

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

function spelled(whole: number): string {
  if (whole < 20) return small[whole]!;
  if (whole < 100) return `${tens[Math.floor(whole / 10)]}${whole % 10 === 0 ? '' : `-${small[whole % 10]}`}`;
  const [over, name] =
    whole < 1_000 ? [100, 'hundred'] : whole < 1e6 ? [1_000, 'thousand'] : [1e6, 'million'];
  const rest =
    whole % over === 0 ? '' : `${oneOf(over === 100 ? [' and ', ' '] : [' '])}${spelled(whole % over)}`;
  return `${spelled(Math.floor(whole / over))} ${name}${rest}`;
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
const fraction = (over: number, under: number): string => {
  const common = divisor(over, under);
  return `${over / common}/${under / common}`;
};
const parts: readonly [number, string, string][] = [
  [2, 'half', 'halves'],
  [3, 'third', 'thirds'],
  [4, 'quarter', 'quarters'],
  [5, 'fifth', 'fifths'],
  [8, 'eighth', 'eighths'],
];

function wordPair(): [Said, Said] {
  const sign = below(5) === 0 ? '-' : '';
  const inWords = (text: string) => (sign === '' ? text : `${oneOf(['minus', 'negative'])} ${text}`);
  const pair = (words: string, of: string, digits: string, other: string): [Said, Said] => [
    { text: inWords(words), says: sign + of },
    { text: sign + digits, says: sign + other },
  ];
  const form = below(4);
  if (form < 2) {
    const whole = 1 + oneOf([below(20), below(1_000), below(100_000), below(10_000_000)]);
    const near = oneOf([whole, whole, whole + 1, 10 * whole, Number([...`${whole}`].reverse().join(''))]);
    return pair(
      spelled(whole),
      fraction(whole, 1),
      oneOf([`${near}`, grouped(`${near}`)]),
      fraction(near, 1),
    );
  }
  if (form === 2) {
    const [under, one, many] = oneOf(parts);
    const over = 1 + below(under - 1);
    const whole = below(10);
    const part = `${spelled(over)} ${over === 1 ? one : many}`;
    const sum = whole * under + over;
    const near = oneOf([
      [sum, under],
      [sum, under],
      [sum + 1, under],
      [under, sum],
      [over, under],
    ] as const);
    const digits = oneOf([`${near[0]}/${near[1]}`, `\\frac{${near[0]}}{${near[1]}}`]);
    const words = whole === 0 ? part : `${spelled(whole)} and ${part}`;
    return pair(words, fraction(sum, under), digits, fraction(...near));
  }
  const [whole, tenths] = [1 + below(30), below(10)];
  const near = oneOf([0, 0, 1, 10]) + 10 * whole + tenths;
  const words = `${spelled(whole)} point ${small[tenths]}`;
  return pair(words, fraction(10 * whole + tenths, 10), (near / 10).toFixed(1), fraction(near, 10));
}

test.each([
  ['money', moneyPair],
  ['numbers in words', wordPair],
])('%s that differ are never the same', (_, made) => {
  const pairs = Array.from({ length: cases(2_000) }, made);
  const isRight = (answer: string, gold: string) =>
    judgeMath(answer, gold, 1e-9).judgement === 'correct' ||
    judgeText(answer, [gold], { minF1: 1, numberTolerance: 1e-9 }).correct;
  const different = pairs.filter(([a, b]) => a.says !== b.says);
  const same = pairs.filter(([a, b]) => a.says === b.says);
  const falselyRight = different.filter(([a, b]) => isRight(a.text, b.text) || isRight(b.text, a.text));
  expect(falselyRight.map(([a, b]) => [a.text, b.text])).toEqual([]);
  const wrong = same.filter(([a, b]) => judgeMath(a.text, b.text, 1e-9).judgement === 'incorrect');
  expect(wrong.map(([a, b]) => [a.text, b.text])).toEqual([]);
  expect(same.length).toBeGreaterThan(pairs.length / 10);
});
