import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeMath } from '../../stages/judge/math/judgeMath.ts';
import { MAX_STEPS } from '../../stages/judge/math/undecidable.ts';
import { cases } from '../support/cases.ts';
import { testDataPath } from '../support/testData.ts';
import { testGolds } from './support/testGolds.ts';

const judge = (answer: string, gold: string) => judgeMath(answer, gold, 1e-9).judgement;

testGolds(testDataPath('tasks/math500.parquet'), 42);
testGolds(testDataPath('tasks/aime24.parquet'), 6);

test.each([
  ['7', '7', 'text'],
  ['7.0', '7', 'number'],
  ['(1,2)', '(1.0,2)', 'value'],
  ['\\frac12', '0.5', 'value'],
  ['élan vital', '\\text{Élan vital}', 'words'],
])('%s and %s are equal by %s', (a, b, method) => {
  expect(judgeMath(a, b, 1e-9)).toMatchObject({ judgement: 'correct', method });
});

test('no answer is wrong', () => {
  expect(judge('', '5')).toBe('incorrect');
  expect(judge('5', '')).toBe('incorrect');
});

test.each(['x<1/0', '(1/0,2)\\cup(3,4)'])('a limit that has no value decides nothing: %s', (answer) => {
  expect(judge(answer, '(1,2)\\cup(3,4)')).toBe('undecided');
});

test('the tolerance is for decimals', () => {
  expect(judgeMath('0.3333', '\\frac13', 1e-3).judgement).toBe('correct');
  expect(judgeMath('0.3333', '\\frac13', 1e-9).judgement).toBe('incorrect');
  expect(judgeMath('\\frac{3333}{10000}', '\\frac13', 1e-3).judgement).toBe('incorrect');
});

describe('expressions', () => {
  /** Polynomials and quotients over x and y, in one way to write them and in another. */
  const twins = fc.letrec<{ leaf: [string, string]; tree: [string, string] }>((tie) => ({
    leaf: fc.oneof(
      fc.integer({ min: 1, max: 99 }).map((n): [string, string] => [`${n}`, `\\frac{${3 * n}}{3}`]),
      fc.constantFrom<[string, string]>(
        ['x', 'x'],
        ['y', 'y^{1}'],
        ['\\pi', '\\frac{2\\pi}{2}'],
        ['\\sqrt{2}', '2^{1/2}'],
      ),
    ),
    tree: fc.oneof(
      { maxDepth: 4 },
      tie('leaf'),
      fc
        .tuple(tie('tree'), tie('tree'))
        .chain(([[a, b], [c, d]]) =>
          fc.constantFrom<[string, string]>(
            [`(${a}+${c})`, `(${d}+${b})`],
            [`${a} \\cdot (${c})`, `(${d})(${b})`],
            [`(${a}-${c})`, `(-(${d})+${b})`],
          ),
        ),
      tie('tree').map(([a, b]): [string, string] => [`(${a})^2`, `(${b})(${b})`]),
      tie('tree').map(([a, b]): [string, string] => [`\\frac{${a}}{7}`, `(${b})/7`]),
    ),
  })).tree;

  test('stay equal when they are rewritten', () => {
    fc.assert(
      fc.property(twins, ([a, b]) => {
        expect([a, b, judge(a, b)]).toEqual([a, b, 'correct']);
      }),
    );
  });

  test('are told from their multiples', () => {
    const factor = fc.integer({ min: 2, max: 9 });
    fc.assert(
      fc.property(twins, factor, ([a, b], k) => {
        // A square and 1 are never 0 together: a multiple is another expression.
        expect(judge(`${k}((${a})^2+1)`, `(${b})^2+1`)).toBe('incorrect');
        expect(judge(`\\frac{1000+${k}}{1000}((${a})^2+1)`, `(${b})^2+1`)).toBe('incorrect');
      }),
    );
  });

  test('compare alike in both orders', () => {
    fc.assert(
      fc.property(twins, twins, ([a], [, b]) => {
        expect(judge(a, b)).toBe(judge(b, a));
      }),
    );
  });
});

test('sets do not depend on the order of their items', () => {
  const items = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(items, fc.func(fc.nat()), (numbers, rank) => {
      const shuffled = [...numbers].sort((a, b) => rank(a) - rank(b) || a - b);
      expect(judge(shuffled.join(', '), `\\{${numbers.join(',')}\\}`)).toBe('correct');
      expect(judge(numbers.slice(1).join(', '), `\\{${numbers.join(',')}\\}`)).toBe('incorrect');
    }),
  );
});

test('unions are equal when the same numbers are in them', () => {
  const limits = fc.uniqueArray(fc.integer({ min: -20, max: 20 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(limits, (numbers) => {
      const [a, b, c] = numbers.toSorted((x, y) => x - y);
      expect(judge(`(${a},${b}]\\cup[${b},${c})`, `(${a},${c})`)).toBe('correct');
      expect(judge(`(${a},${b})\\cup(${b},${c})`, `(${a},${c})\\setminus\\{${b}\\}`)).toBe('correct');
      expect(judge(`(${a},${b})\\cup(${b},${c})`, `(${a},${c})`)).toBe('incorrect');
    }),
  );
});

describe('hostile answers', () => {
  const repeat = (text: string, times: number) => text.repeat(times);
  const bombs = [
    repeat('(', 1999),
    repeat('\\sqrt{', 333),
    repeat('\\frac', 400),
    `${repeat('\\frac{1}{', 100_000)}2${repeat('}', 100_000)}`,
    `${repeat('\\frac{1}{', 50)}2${repeat('}', 50)}`,
    `${repeat('2^{', 55)}2${repeat('}', 55)}`,
    repeat('1,', 1000),
    repeat('\\text{', 333),
    repeat(' ', 2000),
    repeat('{', 1000) + repeat('}', 1000),
    repeat('1\\pm2,', 333),
    `${repeat('\\{1\\pm', 50)}2${repeat('\\}', 50)}`,
    repeat('(1,', 600),
    repeat('\\{', 900),
    `${repeat('x', 999)}=${repeat('y', 999)}`,
    repeat('\\\\', 1000),
    repeat('-', 2000),
    repeat('5', 1_000_000),
    repeat('\\frac{x}{', 120_000),
    `${repeat('9^{300}*', 240)}1`,
    repeat('(x+1/3)', 280),
    repeat('(x+y)^{60}', 190),
    `${repeat('9!+', 600)}1`,
    `\\$${repeat('1,', 990)}x`,
    repeat('a and ', 330),
    repeat('|', 2000),
    Array.from({ length: 400 }, (_, at) => `${at}x`).join(','),
  ];

  test('come to an end within the counted steps, and are never taken for another', () => {
    for (const bomb of bombs) {
      for (const gold of ['7', 'x+1', '(1,2)', `${bomb}+1`]) {
        const finding = judgeMath(bomb, gold, 1e-9);
        expect([bomb.slice(0, 30), gold.slice(0, 30), finding.judgement]).not.toContain('correct');
        expect(finding.steps).toBeLessThanOrEqual(MAX_STEPS + 50);
      }
      if (bomb.trim() !== '') expect(judge(bomb, bomb)).toBe('correct');
    }
  });

  const pieces = fc.constantFrom(
    ' ',
    ...'\\frac { } ( ) [ ] 1 x ^ \\pm , \\text{ \\sqrt & \\\\ = | ! _ \\ \\cup \\begin{pmatrix} \\end{pmatrix} <'.split(
      ' ',
    ),
    ...'\\in \\{ \\} / 0 - \\infty \\sin \\log .5 \\% \\$ cm or : e i \\overline{3} \\mathbb{R}'.split(' '),
  );

  test('never throw, and compare alike in both orders', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.array(pieces, { maxLength: 30 }), (a, b) => {
        const [left, right] = [a.join(''), b.join('')];
        expect(judge(left, right)).toBe(judge(right, left));
        expect(judge(left, left)).toBe('correct');
      }),
      { numRuns: cases(3_000) },
    );
  });
});

test('says whether it is the answer alone that can not be compared', () => {
  const isOfAnswer = (answer: string, gold: string) => {
    const finding = judgeMath(answer, gold, 1e-9);
    return finding.judgement === 'undecided' ? finding.isOfAnswer : undefined;
  };
  for (const answer of [
    '???',
    '\\frac{1}{',
    '5 or 6 (not sure)',
    '7+'.repeat(1_500),
    '41=42',
    '41<42',
    '9^{9^{9^9}}',
  ])
    expect(isOfAnswer(answer, '42'), answer.slice(0, 20)).toBe(true);
  expect(isOfAnswer('42', '\\frac{1}{')).toBe(false);
  expect(isOfAnswer('???', '\\frac{1}{')).toBe(false);
  expect(isOfAnswer('42', '99999999!')).toBe(false);
  expect(isOfAnswer('43', '42')).toBeUndefined();
});
