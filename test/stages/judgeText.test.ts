import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeText, matchText } from '../../stages/judge/judgeText.ts';
import { equalPlainNumbers, parsePlainNumber } from '../../stages/judge/plainNumber.ts';
import { normaliseAnswer, wordF1 } from '../../stages/judge/textMatch.ts';
import { emittedTasks, readTasks } from '../support/readTasks.ts';
import { sharedDataPath } from '../support/sharedData.ts';

const settings = { minF1: 1, numberTolerance: 1e-9 };
const correct = (answer: string, ...golds: string[]) => judgeText(answer, golds, settings).correct;

describe('equal answers', () => {
  test.each([
    ['The Beatles', 'beatles'],
    ['Wilhelm Conrad Röntgen.', 'Wilhelm Conrad Ro\u0308ntgen'],
    ['U.S.', 'us'],
    ['“Café”', 'café'],
    ['1,200', '1200'],
    ['$1,200.00', '1200'],
    ['20%', '20'],
    ['−5', '-5'],
    ['025', '25'],
    ['1e3', '1000'],
    ['0.1', '0.10000000000000001'],
    ['1,020–1,080 kg', '1,020-1,080 kg'],
    ['May 18, 2018', 'May 18 2018'],
    ['The', 'the'],
    ['12345678901234567890', '12,345,678,901,234,567,890'],
  ])('%j and %j', (a, b) => {
    expect(correct(a, b)).toBe(true);
    expect(correct(b, a)).toBe(true);
  });
});

describe('different answers', () => {
  test.each([
    ['Beatles', 'Stones'],
    ['5', '-5'],
    ['1.5', '15'],
    ['1.5 million', '15 million'],
    ['-5 degrees', '5 degrees'],
    ['$100', '€100'],
    ['12345678901234567890', '12345678901234567891'],
    ['1990-1991', '19901991'],
    ['a', 'the'],
    ['', 'she'],
    ['she and he', 'she'],
  ])('%j and %j', (a, b) => {
    expect(correct(a, b)).toBe(false);
    expect(correct(b, a)).toBe(false);
  });
});

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
  expect(correct('a|b', 'a|b')).toBe(true);
});

test('min_f1 lowers the bar for words, never for numbers', () => {
  const lenient = { ...settings, minF1: 0.5 };
  expect(judgeText('Marie Curie', ['Marie Skłodowska Curie'], lenient)).toMatchObject({
    correct: true,
    score: 0.8,
  });
  expect(judgeText('291', ['292'], lenient)).toMatchObject({ correct: false, score: 0 });
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(
      fc.constantFrom('a', 'the', 'An', ' ', '-', '.', ',', '5', '12', '–', '(', '$', 'x', 'é', 'İ', 'Σ'),
    )
    .map((parts) => parts.join('')),
);

test('normalising twice changes nothing', () => {
  fc.assert(
    fc.property(text, (raw) => {
      expect(normaliseAnswer(normaliseAnswer(raw))).toBe(normaliseAnswer(raw));
    }),
    { numRuns: 10_000 },
  );
});

test('F1 is symmetric, between 0 and 1, and 1 for the same words', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const score = wordF1(a, b);
      expect(score).toBe(wordF1(b, a));
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(wordF1(a, a)).toBe(1);
    }),
  );
});

test('matching is symmetric, and every text matches itself', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(matchText(a, b, 1e-9).score).toBe(matchText(b, a, 1e-9).score);
      expect(matchText(a, a, 1e-9).score).toBe(1);
    }),
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

test('every gold answer of NQ is right, and no changed number is', async () => {
  const outcomes = await readTasks([{ path: sharedDataPath('nq_500.jsonl'), preset: 'nq' }]);
  for (const { answers } of emittedTasks(outcomes)) {
    for (const answer of answers) {
      expect(correct(answer, ...answers)).toBe(true);
      const changed = answer.replace(/\d+/, (digits) => String(BigInt(digits) + 1n));
      if (changed !== answer) expect(correct(changed, answer)).toBe(false);
    }
  }
});
