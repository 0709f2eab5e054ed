import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  comparableText,
  judgeText,
  matchTexts,
  normaliseAnswer,
  wordF1,
} from '../../schemas/answers/judgeText.ts';
import { equalPlainNumbers, parsePlainNumber } from '../../schemas/words/plainNumber.ts';
import { cases } from '../support/cases.ts';
import { testDataPath } from '../support/testData.ts';
import { testTextGolds } from './support/testTextGolds.ts';

const settings = { minF1: 1, numberTolerance: 1e-9 };
const correct = (answer: string, ...golds: string[]) => judgeText(answer, golds, settings).correct;

test('any gold answer will do, and evidence names the closest', () => {
  expect(judgeText('Olivia', ['MFSK', 'Olivia'], settings)).toMatchObject({
    correct: true,
    score: 1,
    matches: [{ prediction: 'Olivia', method: 'exact', gold: 'Olivia' }],
  });
  expect(judgeText('Marie Curie', ['Albert Einstein', 'Marie Skłodowska Curie'], settings)).toMatchObject({
    correct: false,
    score: 0.8,
    matches: [{ method: 'f1', gold: 'Marie Skłodowska Curie' }],
  });
});

test('several answers must all be right', () => {
  expect(correct('Olivia | MFSK', 'Olivia', 'MFSK')).toBe(true);
  expect(correct('Olivia|Morse', 'Olivia', 'MFSK')).toBe(false);
  expect(correct('Olivia |', 'Olivia')).toBe(false);
  expect(correct('', 'she')).toBe(false);
  expect(correct('a|b', 'a|b')).toBe(true);
  expect(correct('b | a', 'a|b')).toBe(true);
  expect(correct('b | a', 'c', 'a|b')).toBe(true);
  expect(correct('a', 'a|b')).toBe(false);
  expect(correct('a|a', 'a|b')).toBe(false);
  expect(correct('a|b|c', 'a|b')).toBe(false);
});

test('min_f1 lowers the bar for words, never for numbers', () => {
  const lenient = { ...settings, minF1: 0.5 };
  expect(judgeText('Marie Curie', ['Marie Skłodowska Curie'], lenient)).toMatchObject({
    correct: true,
    score: 0.8,
  });
  for (const [answer, gold] of [
    ['291', '292'],
    ['12 March 1985', '12 March 1986'],
    ['5 square km', '6 square km'],
    ['291 players', '292 players'],
  ] as const) {
    expect(judgeText(answer, [gold], lenient)).toMatchObject({ correct: false, score: 0 });
  }
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(
      fc.constantFrom(
        ...['a', 'the', 'An', ' ', '-', '.', ',', '5', '12', '–', '(', '$', 'x', 'é', 'İ', 'Σ'],
        ...['+', '#', '^', '<', ':', '/', '²', '345'],
      ),
    )
    .map((parts) => parts.join('')),
);

test('normalising twice changes nothing', () => {
  fc.assert(
    fc.property(text, (raw) => {
      expect(normaliseAnswer(normaliseAnswer(raw))).toBe(normaliseAnswer(raw));
    }),
    { numRuns: cases(10_000) },
  );
});

test('F1 is symmetric, between 0 and 1, and 1 for the same words', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const [left, right] = [comparableText(a), comparableText(b)];
      const score = wordF1(left, right);
      expect(score).toBe(wordF1(right, left));
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(wordF1(left, left)).toBe(1);
    }),
  );
});

const typedText = fc
  .array(fc.constantFrom(...'5 1,200 1.5 - $ % km m kg million one two hundred and'.split(' ')), {
    maxLength: 4,
  })
  .chain((words) => fc.constantFrom(words.join(' '), words.join('')));
const dateText = fc
  .array(fc.constantFrom('12', '3', '1985', 'March', 'May', ',', '-', '/', '.', 'BC', 'AD', 'th', ' '), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

const anyText = fc.oneof(text, typedText, dateText);

test('matching is symmetric, and every text matches itself', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      const [left, right] = [comparableText(a), comparableText(b)];
      expect(matchTexts(left, right, 1e-9).score).toBe(matchTexts(right, left, 1e-9).score);
      expect(matchTexts(left, left, 1e-9).score).toBe(1);
    }),
    { numRuns: cases(3_000) },
  );
});

describe('plain numbers', () => {
  test.each([
    '',
    '.',
    '-',
    '1,20',
    '1.2.3',
    '28.0.0.137',
    'e5',
    '1 2',
    'five',
    '0x10',
    '1/2',
    '9'.repeat(500),
  ])('%j is none', (raw) => {
    expect(parsePlainNumber(raw)).toBeUndefined();
  });

  test('integers of any size are compared by their digits', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 9n }), (number, more) => {
        const parsed = parsePlainNumber(`${number}`)!;
        expect(equalPlainNumbers(parsed, parsePlainNumber(`${number + more}`)!, 1e-9)).toBe(false);
        expect(equalPlainNumbers(parsed, parsePlainNumber(` ${number}.00`)!, 1e-9)).toBe(true);
      }),
    );
  });
});

testTextGolds(testDataPath('tasks/nq.jsonl'));
