import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeMath } from '../../stages/judge/judgeMath.ts';
import { normaliseLatex } from '../../stages/judge/latexText.ts';
import { latexValue } from '../../stages/judge/latexValue.ts';
import { emittedTasks, readTasks } from '../support/readTasks.ts';
import { sharedDataPath } from '../support/sharedData.ts';

const correct = (answer: string, gold: string) => judgeMath(answer, gold, 1e-9).correct;

async function goldsOf(name: string): Promise<string[]> {
  const outcomes = await readTasks([{ path: sharedDataPath(name), preset: 'afm_math', profile: 'math' }]);
  return emittedTasks(outcomes).flatMap((task) => task.answers);
}

describe.each([
  ['math500.parquet', 500],
  ['aime24.parquet', 30],
])('the gold answers of %s', (name, count) => {
  test('are right as they are, and in other spellings', async () => {
    const golds = await goldsOf(name);
    expect(golds).toHaveLength(count);
    for (const gold of golds) {
      const spellings = [
        gold,
        `$${gold}$`,
        ` ${gold}.`,
        gold.replaceAll('\\frac', '\\dfrac'),
        gold.replace(/\\(?:left|right)/g, ''),
      ];
      for (const spelling of spellings) expect([spelling, correct(spelling, gold)]).toEqual([spelling, true]);
    }
  });

  test('are wrong when any one number in them is changed', async () => {
    for (const gold of await goldsOf(name)) {
      for (const { 0: digits, index } of gold.matchAll(/\d+/g)) {
        const changed =
          gold.slice(0, index) + String(BigInt(digits) + 1n) + gold.slice(index + digits.length);
        expect([changed, correct(changed, gold)]).toEqual([changed, false]);
      }
    }
  });

  test('are normalised once and for all', async () => {
    for (const gold of await goldsOf(name)) {
      expect(normaliseLatex(normaliseLatex(gold))).toBe(normaliseLatex(gold));
    }
  });
});

describe('equal answers', () => {
  test.each([
    ['\\sqrt{117}', '3\\sqrt{13}'],
    ['1.8', '1\\frac{4}{5}'],
    ['0.5', '\\frac{1}{2}'],
    ['1/2', '\\frac12'],
    ['25', '025'],
    ['10080', '10,\\!080'],
    ['10{,}080', '10,080'],
    ['Evelyn', '\\text{Evelyn}'],
    ['EAST', '\\text{east}'],
    ['C', '\\text{(C)}'],
    ['(C)', '\\textbf{(C)}'],
    ['90', '90^\\circ'],
    ['90°', '90^{\\circ}'],
    ['90 degrees', '90^\\circ'],
    ['5.4', '5.4 \\text{ cents}'],
    ['50\\%', '50'],
    ['32348', '\\$32,\\!348'],
    ['36 dollars', '\\$36'],
    ['-2,1', '1,-2'],
    ['1 \\text{ and } -2', '1,-2'],
    ['(b+2)(a+5)', '(a+5)(b+2)'],
    ['-1+x-x^2', '-x^2 + x - 1'],
    ['1+\\sqrt{19}, 1-\\sqrt{19}', '1 \\pm \\sqrt{19}'],
    ['\\{-2, 1+\\sqrt5, 1-\\sqrt5\\}', '\\{1\\pm\\sqrt{5},-2\\}'],
    ['[-2,7]', 'x \\in [-2,7]'],
    ['x = 5', '5'],
    ['2x+3', 'y = 2x + 3'],
    ['(9,36)\\cup(0,9)', '(0,9) \\cup (9,36)'],
    ['\\begin{pmatrix}-\\frac13\\\\2/3\\end{pmatrix}', '\\begin{pmatrix} -1/3 \\\\ 2/3 \\end{pmatrix}'],
    ['(3, pi/2)', '\\left( 3, \\frac{\\pi}{2} \\right)'],
    ['sqrt(13)', '\\sqrt{13}'],
    ['-5i+6', '6 - 5i'],
    ['(1+i)^2', '2i'],
    ['\\frac{270}{7}', '\\frac{270}7\\text{ degrees}'],
    ['204_{5}', '204_5'],
    ['\\sqrt[3]{8}', '2'],
    ['2^{10}', '1024'],
    ['5!', '120'],
    ['\\sin^2 x+\\cos^2 x', '1'],
    ['3.14159265358979', '\\pi'],
    ['.0000672', '6.72 \\times 10^{-5}'],
    ['(-\\infty, 0]', '(-∞,0]'],
  ])('%s and %s', (a, b) => {
    expect(correct(a, b)).toBe(true);
    expect(correct(b, a)).toBe(true);
  });
});

describe('different answers', () => {
  test.each([
    ['seat', '\\text{east}'],
    ['seat', 'east'],
    ['(1,2)', '[1,2]'],
    ['(1,2)', '(2,1)'],
    ['(1,2)', '(1,2,3)'],
    ['1,2', '1,2,2'],
    ['5', '-5'],
    ['90 cents', '90^\\circ'],
    ['9999999999999998', '9999999999999999'],
    ['2^{40}', '1099511627777'],
    ['111111111101', '111111111100'],
    ['y=5', 'x=5'],
    ['', '5'],
    ['x', 'y'],
    ['2x', '2y'],
    ['100200', '(100,200)'],
    ['1 200', '1200'],
    ['52_8', '52_9'],
    ['2\\infty', '\\infty'],
    ['\\frac{1}{0}', '\\frac{2}{0}'],
    ['\\begin{pmatrix}1&2\\end{pmatrix}', '\\begin{pmatrix}1\\\\2\\end{pmatrix}'],
    ['3.14', '\\pi'],
    ['1+2\\sqrt{3}', '1-2\\sqrt{3}'],
  ])('%s and %s', (a, b) => {
    expect(correct(a, b)).toBe(false);
    expect(correct(b, a)).toBe(false);
  });
});

test.each([
  ['7', '7', 'text'],
  ['7.0', '7', 'number'],
  ['(1,2)', '(1.0,2)', 'parts'],
  ['\\frac12', '0.5', 'value'],
  ['Evelyn', '\\text{evelyn}', 'words'],
])('%s and %s are equal by %s', (a, b, method) => {
  expect(judgeMath(a, b, 1e-9)).toEqual({ correct: true, method });
});

test('sums, products and fractions of integers have the value that arithmetic gives them', () => {
  const small = fc.integer({ min: 1, max: 99 });
  fc.assert(
    fc.property(small, small, small, small, (a, b, c, d) => {
      const [value] = latexValue(`${a}-\\frac{${b}}{${c}}\\cdot${d}+(${b}/${d})^2`)!;
      expect(value!.re).toBeCloseTo(a - (b / c) * d + (b / d) ** 2, 9);
      expect(value!.im).toBe(0);
    }),
  );
});

test.each([
  '',
  'east',
  '1+',
  '(1',
  '1)',
  '\\frac{1}',
  '\\unknown',
  '1..2',
  '1 2',
  '\\text{a}',
  '2^',
  '9^{9^{9^9}}',
  '171!',
  '\\sqrt{',
  '\\infty',
])('%j has no value', (text) => {
  expect(latexValue(text)).toBeUndefined();
});

test('hostile answers come to an end, and never throw', () => {
  const long = [
    '9^{9^{9^9}}',
    '('.repeat(1999),
    '\\sqrt{'.repeat(333),
    '\\frac'.repeat(400),
    '1,'.repeat(1000),
    '\\text{'.repeat(333),
    ' '.repeat(2000),
    '{'.repeat(1000) + '}'.repeat(1000),
    '1\\pm2,'.repeat(333),
    '(1,'.repeat(600),
    '\\{'.repeat(900),
    `${'x'.repeat(999)}=${'y'.repeat(999)}`,
    '\\\\'.repeat(1000),
    '-'.repeat(2000),
    '5'.repeat(1_000_000),
  ];
  for (const text of long) {
    expect(correct(text, '5')).toBe(false);
    expect(correct(text, text)).toBe(true);
  }
  const pieces = fc.constantFrom(
    '\\frac',
    '{',
    '}',
    '(',
    ')',
    '1',
    'x',
    '^',
    '\\pm',
    ',',
    '\\text{',
    '\\sqrt',
    '&',
    '\\\\',
    ' ',
    '=',
    '|',
    '!',
    '_',
    '\\',
    '\\cup',
    '\\begin{pmatrix}',
    '\\end{pmatrix}',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), fc.array(pieces, { maxLength: 30 }), (a, b) => {
      const [left, right] = [a.join(''), b.join('')];
      expect(correct(left, right)).toBe(correct(right, left));
      expect(correct(left, left)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});
