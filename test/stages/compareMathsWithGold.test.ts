import { expect, test } from 'vitest';
import { compareWithGold } from '../../stages/judge/createGoldJudge.ts';

const compare = (answer: string, ...answers: string[]) =>
  compareWithGold(answer, { domain: 'math', answers }, { min_f1: 1, number_tolerance: 1e-9 });

test('any gold answer makes an answer right', () => {
  expect(compare('0.5', '7', '\\frac12')).toMatchObject({ correct: true, evidence: { gold: '\\frac12' } });
  expect(compare('0.5', '\\sum_{k=1}^n k', '\\frac12')).toMatchObject({ correct: true });
});

test('all of them make it wrong', () => {
  expect(compare('0.5', '7', '8')).toMatchObject({ correct: false, score: 0, evidence: { gold: '7' } });
});

test.each([
  ['unscored', '0.5', '\\sum_{k=1}^n k'],
  ['unscored', '\\frac{1}{', '99999999!'],
  ['unreadable_answer', '9^{9^{9^{9}}}', '7'],
  ['unreadable_answer', '\\frac{'.repeat(200_000), '7'],
] as const)('what can not be told is %s by whose doing it is: %.20s for %s', (cause, answer, gold) => {
  const failure = { cause, message: expect.stringContaining("can't tell: "), retryable: false };
  const thrown = expect.objectContaining({ failure: expect.objectContaining(failure) });
  expect(() => compare(answer, gold)).toThrow(thrown);
});

test('an amount that can not be converted is the doing of who wrote it', () => {
  const settings = { min_f1: 1, number_tolerance: 1e-9 };
  expect(() => compareWithGold('5 gallons', { domain: 'qa', answers: ['19 L'] }, settings)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ cause: 'unreadable_answer' }) }),
  );
});
