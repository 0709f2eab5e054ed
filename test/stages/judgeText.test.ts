import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalPlainNumbers, parsePlainNumber } from '../../stages/judge/plainNumber.ts';
import { comparableText, judgeText, matchTexts, wordF1 } from '../../stages/judge/text/judgeText.ts';
import { normaliseAnswer } from '../../stages/judge/text/normaliseAnswer.ts';
import { cases } from '../support/cases.ts';
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
    ['12 March 1985', '1985-03-12'],
    ['March 12, 1985', '12th of March 1985'],
    ['Tuesday, 12 Mar. 1985', '12.03.1985'],
    ['12/25/1985', '25 December 1985'],
    ['May 2018', '2018-05'],
    ['18 May', 'May 18th'],
    ['44 BC', '44 B.C.'],
    ['AD 79', '79 CE'],
    ['March 15, 44 BCE', '15 March 44 BC'],
    ['5 km', '5000 m'],
    ['5 kilometres', '5,000 meters'],
    ['2.54 cm', '1 inch'],
    ['12 inches', '1 foot'],
    ['100 km/h', '100 kilometres per hour'],
    ['36 km/h', '10 m/s'],
    ['0 °C', '32 °F'],
    ['2 hours', '120 minutes'],
    ['3 sq km', '3,000,000 m²'],
    ['one million', '1,000,000'],
    ['1.5 million', '1500000'],
    ['$1.5m', '1,500,000 dollars'],
    ['US$ 2 billion', '2000000000 USD'],
    ['twenty percent', '20%'],
    ['two hundred and five', '205'],
    ['twenty-one', '21'],
    ['a hundred', '100'],
    ['third', '3rd'],
    ['twenty-first', '21st'],
    ['1,200 people', 'one thousand two hundred people'],
    ['1.2 million people', '1,200,000 people'],
    ['1990 – 1991', '1990-1991'],
    ['area of 5 m²', 'area of 5 m^2'],
    ['C++.', 'c++'],
    ['5 KM', '5 km'],
    ['He had (about) 1,200 sheep', 'he had about 1200 sheep'],
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
    ['12 March 1985', '1985-12-03'],
    ['12 March 1985', 'March 1985'],
    ['12 March 1985', '1985'],
    ['03/12/1985', '12 March 1985'],
    ['30 February 1985', '2 March 1985'],
    ['29 February 1985', '1 March 1985'],
    ['44 BC', 'AD 44'],
    ['44 BC', '44'],
    ['5 km', '5 m'],
    ['5 km', '5 kg'],
    ['5 km', '5.001 km'],
    ['5 miles', '5 km'],
    ['5 mW', '5 MW'],
    ['1 MB', '1 MiB'],
    ['$5', '€5'],
    ['5 apples', '5 pears'],
    ['3rd', '3'],
    ['one million', '1.000001 million'],
    ['1 million', '1 billion'],
    ['1.5 m', '1.5 million'],
    ['nineteen eighty-four', '103'],
    ['1,5', '15'],
    ['1,5', '1.5'],
    ['12,34', '1234'],
    ['10:30', '1030'],
    ['3/4', '34'],
    ['10^3', '103'],
    ['10²', '102'],
    ['x²', 'x2'],
    ['3-1', '1-3'],
    ['1990-1991', '1991-1990'],
    ['(-5, 3)', '(5, 3)'],
    ["5'11", '511'],
    ['> 5', '< 5'],
    ['> 5', '5'],
    ['C++', 'C'],
    ['C#', 'C'],
    ['vitamin A', 'vitamin'],
    ['A-', 'A'],
    ['5 Mg', '5 mg'],
    ['5 Mb', '5 MB'],
    ['3 M', '3 m'],
    ['1e400', '1e500'],
    ['-1e400', '1e400'],
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
  .array(
    fc.constantFrom(
      '5',
      '1,200',
      '1.5',
      '-',
      '$',
      '%',
      'km',
      'm',
      'kg',
      'million',
      'one',
      'two',
      'hundred',
      'and',
    ),
    { maxLength: 4 },
  )
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
