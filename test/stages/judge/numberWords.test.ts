import { expect, test } from 'vitest';
import { judgeText } from '../../../schemas/answers/judgeText.ts';
import { judgeMath } from '../../../stages/judge/math/judgeMath.ts';

const small = [
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen'.split(' '),
  ...'fifteen sixteen seventeen eighteen nineteen'.split(' '),
];
const tens = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const parts: Readonly<Record<number, string>> = {
  ...{ 2: 'half', 3: 'third', 4: 'quarter', 5: 'fifth', 6: 'sixth', 7: 'seventh', 8: 'eighth', 9: 'ninth' },
  ...{ 10: 'tenth', 12: 'twelfth', 16: 'sixteenth', 20: 'twentieth', 25: 'twenty-fifth', 100: 'hundredth' },
};

function spelled(whole: number): string {
  if (whole < 20) return small[whole]!;
  if (whole < 100) return tens[Math.floor(whole / 10)]! + (whole % 10 === 0 ? '' : `-${small[whole % 10]}`);
  const [over, unit, name] = whole < 1000 ? [100, ' and ', 'hundred'] : [1000, ' ', 'thousand'];
  const rest = whole % over === 0 ? '' : `${unit}${spelled(whole % over)}`;
  return `${spelled(Math.floor(whole / over))} ${name}${rest}`;
}

function fraction(over: number, under: number): string {
  const name = over === 1 ? parts[under] : parts[under] === 'half' ? 'halves' : `${parts[under]}s`;
  return `${spelled(over)} ${name}`;
}

type Pair = readonly [words: string, right: string, wrong: readonly string[]];

const wholes = [0, 1, 4, 7, 12, 15, 19, 20, 21, 40, 58, 99, 100, 101, 115, 342, 1000, 1001, 2024, 15_300];
const fractions = Object.keys(parts).flatMap((under) =>
  [1, 3, 7].filter((over) => over % Number(under) !== 0).map((over) => [over, Number(under)] as const),
);
const decimals = ['0.5', '0.25', '1.05', '2.5', '3.14', '12.75', '40.02', '100.1'];

const pairs: readonly Pair[] = [
  ...wholes.map((n): Pair => [spelled(n), `${n}`, [`${n + 1}`, `-${n + 1}`, `${n}/7+1`]]),
  ...wholes.slice(1).map((n): Pair => [`minus ${spelled(n)}`, `-${n}`, [`${n}`, `-${n + 1}`]]),
  ...fractions.map(
    ([a, b]): Pair => [
      fraction(a, b),
      `\\frac{${a}}{${b}}`,
      [`\\frac{${a + 1}}{${b}}`, `\\frac{${b}}{${a}}`, `${a}`, `${b}`, `${a + b}`, `-\\frac{${a}}{${b}}`],
    ],
  ),
  ...fractions
    .filter(([a, b]) => a < b)
    .map(
      ([a, b]): Pair => [
        `two and ${fraction(a, b)}`,
        `\\frac{${2 * b + a}}{${b}}`,
        [`\\frac{${a}}{${b}}`, '2', `\\frac{${2 + a}}{${b}}`],
      ],
    ),
  ...fractions
    .slice(0, 12)
    .map(([a, b]): Pair => [`negative ${fraction(a, b)}`, `-${a}/${b}`, [`${a}/${b}`]]),
  ...decimals.map((text): Pair => {
    const [whole, digits] = text.split('.') as [string, string];
    const words = `${spelled(Number(whole))} point ${[...digits].map((digit) => small[Number(digit)]).join(' ')}`;
    return [words, text, [`${whole}${digits}`, whole, `-${text}`, `${text}1`]];
  }),
];

const judge = (answer: string, gold: string) => judgeMath(answer, gold, 1e-9).judgement;

test('numbers in words are their numbers, and no others', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(130);
  for (const [words, right, wrong] of pairs) {
    for (const form of [words, `\\text{${words}}`, words.replaceAll('-', ' ')]) {
      expect([form, judge(form, right), judge(right, form)]).toEqual([form, 'correct', 'correct']);
    }
    const passed = wrong.filter(
      (gold) => judge(words, gold) === 'correct' || judge(gold, words) === 'correct',
    );
    expect([words, passed]).toEqual([words, []]);
    const settings = { minF1: 1, numberTolerance: 1e-9 };
    expect([words, wrong.filter((gold) => judgeText(words, [gold], settings).correct)]).toEqual([words, []]);
  }
});

test.each([
  ['a half', '0.5'],
  ['half', '\\frac12'],
  ['a third', '1/3'],
  ['an eighth', '0.125'],
  ['two and a half', '2.5'],
  ['point five', '0.5'],
  ['minus two and a half', '-\\frac52'],
])('%s is %s', (words, gold) => {
  expect(judge(words, gold)).toBe('correct');
});

test.each([
  ...['two hundred thousandths', 'one hundred and two fifths', 'one hundred twenty fifths', 'twenty fifths'],
  ...[
    'twenty fifth',
    'one halves',
    'three half',
    'three quarters of it',
    'a quarter of pi',
    'half a million',
  ],
  ...['three point fourteen', 'minus', 'minus minus two', 'two thirds and a half', 'fifty percent'],
  ...['two and seven thirds', 'two and one', 'a and a half'],
])('%s has no verdict beside a number', (words) => {
  expect(['1/2', '0.75', '2', '50', '-1', '3.14'].filter((gold) => judge(words, gold) === 'correct')).toEqual(
    [],
  );
  expect(judge(words, '17')).toBe('undecided');
});
