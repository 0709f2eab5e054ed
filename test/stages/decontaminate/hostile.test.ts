import { expect, test } from 'vitest';
import { isFull } from '../../support/cases.ts';
import { findIn } from './support/findIn.ts';

const river =
  'Which river flows past the old customs house of the harbour town where the first printed atlas was made?';
/** An eighth of it is enough to tell quadratic time from linear. */
const megabyte = isFull ? 1 << 20 : 1 << 17;
/** Words that occur once, so that every 8-gram is another. */
const text = (words: number) => Array.from({ length: words }, (_, at) => `w${at.toString(36)}`).join(' ');

test.each([
  ['one word a million times', 'again '.repeat(megabyte)],
  ['two words by turns', 'to and '.repeat(megabyte / 8)],
  ['one word of a megabyte', 'x'.repeat(megabyte)],
  ['punctuation alone', '.'.repeat(megabyte)],
  ['a word among punctuation', `a${'-'.repeat(megabyte)}b`],
  ['combining marks', `e${'\u0301'.repeat(megabyte / 2)}`],
  ['letters that normalising makes longer', '\ufdfa'.repeat(megabyte / 32)],
  ['half of a surrogate pair', '\ud800'.repeat(megabyte)],
  ['a megabyte of different words', text(megabyte / 5)],
  ['a megabyte of Chinese', '谁写了红楼梦'.repeat(megabyte / 18)],
])('%s, asked and as a benchmark', (_, hostile) => {
  expect(findIn([river, hostile], river)).toMatchObject({ benchmark_row: 1 });
  expect(findIn([river, hostile], `${hostile}. ${river}`)).toMatchObject({ benchmark: 'b' });
  expect(findIn([river], `${hostile}. ${river}`)).toMatchObject({ benchmark_row: 1 });
  expect(findIn([river], hostile)).toBeUndefined();
});

test('a question that holds a thousand benchmark questions is found at once', () => {
  const questions = Array.from({ length: 1_000 }, (_, at) =>
    river.replace('customs house', `house ${at} of ${at * 7}`),
  );
  expect(findIn(questions, questions.join(' '))).toMatchObject({ benchmark_row: 1 });
});

test('the shared text is cut', () => {
  const long = text(2_000);
  const found = findIn([long], `Well: ${long}`);
  expect(found?.shared_text).toMatch(/^w0 w1 .*…$/);
  expect(found?.shared_text.length).toBe(501);
});
