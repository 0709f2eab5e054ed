import { describe, expect, test, vi } from 'vitest';
import { textFaults } from '../../output/check/textFaults.ts';
import { judgeText } from '../../schemas/answers/judgeText.ts';
import { answerText } from '../../schemas/coa/answers.ts';
import { bodyProblem, foldToolInput } from '../../schemas/coa/bodies.ts';
import { normaliseText } from '../../schemas/coa/layout.ts';
import type { BodyRule } from '../../schemas/coa/profile.ts';
import { secretKindSchema } from '../../schemas/filterMeasures.ts';
import { nearInput } from '../../schemas/filters/nearRedundantInputs.ts';
import { readQuestion } from '../../schemas/question.ts';
import { foldWords } from '../../schemas/words/foldWords.ts';
import { Shingler } from '../../stages/dedup/shingles/shingler.ts';
import { findSecrets } from '../../stages/filter/trajectorySecrets.ts';
import { judgeMath } from '../../stages/judge/math/judgeMath.ts';
import { sameOutput } from '../../stages/judge/program/sameOutput.ts';
import { wordSketch } from '../../stages/select/candidate.ts';
import { isFull } from '../support/cases.ts';

vi.setConfig({ testTimeout: 120_000 });

const megabyte = 1 << 20;
/** At a megabyte, quadratic time is an hour and linear time still nothing; at an eighth of it, still a minute. */
const longText = isFull ? megabyte : megabyte >> 3;

/** What each pattern likes to read for long, and what it ends with so that the pattern fails after all. */
const repeated: readonly (readonly [start: string, unit: string, end: string])[] = [
  ['a', ' ', 'b'],
  ['```py\n', '\n', 'x'],
  ['', '\r', 'x'],
  ['1', '0', 'x'],
  ['1', ',000', '.x'],
  ['a', '.', 'b'],
  ['a', '-', 'b'],
  ['a', '@', 'b'],
  ['#', '#', '\nx'],
  ['', 'a.', '@'],
  ['', '(', ''],
  ['', '<', ''],
  ['', '\\', ''],
  ['', '```py\n', ''],
  ['', '-----BEGIN PRIVATE KEY-----', ''],
  ['', 'eyJaaaaaaaaaaaa..', ''],
  ['e', '\u0301\u0316', ''],
  ['', 'e\u0301', ''],
  ['', '\ud800', ''],
  ['', '\udc00', ''],
  ['', 'x', ''],
  ['', 'x ', ''],
  ['', '|', ''],
  ['', '9', '8'],
  ['', '-', ''],
  // A ligature unfolds to 18 characters.
  ['', `\uFDFA${'x'.repeat(15)}`, ''],
];
const texts = repeated.map(([start, unit, end]) => ({
  name: JSON.stringify(`${start}${unit}${unit}…${end}`),
  text: start + unit.repeat(longText / unit.length) + end,
}));
const rules: readonly BodyRule[] = ['text', 'urls', 'code', 'json', 'score', 'grades'];

/** The runner's own limit is the bound. */
describe.each(texts)('a long run: $name', ({ text }) => {
  test('is no right answer, and is one to itself', () => {
    const settings = { minF1: 1, numberTolerance: 1e-6 };
    expect(judgeText('Paris', [text], settings).correct).toBe(false);
    expect(judgeText(text, ['Paris'], settings).correct).toBe(false);
    expect(judgeText(text, [text], settings).correct).toBe(true);
    expect(judgeMath('7', text, 1e-6).judgement).not.toBe('correct');
    expect(judgeMath(text, text, 1e-6).judgement).toBe('correct');
    expect(sameOutput(text, '1.5', 1e-6)).toBe(false);
    expect(sameOutput(text, text, 1e-6)).toBe(true);
  });

  test('is read and folded, and folding twice changes nothing', () => {
    const layout = normaliseText(text);
    expect(normaliseText(layout)).toBe(layout);
    for (const rule of rules) {
      expect(nearInput(rule, text)).toEqual(nearInput(rule, text));
      expect(foldToolInput(rule, foldToolInput(rule, text))).toBe(foldToolInput(rule, text));
      bodyProblem(rule, text);
    }
    expect(text).toContain(answerText('code', text));
  });

  test('goes through filters, duplicates, decontamination and the rules on texts', () => {
    expect(findSecrets(text, new Set(secretKindSchema.options))).toEqual([]);
    expect(new Shingler(3).read(text)).toBeGreaterThan(0);
    expect(wordSketch(text)).toEqual(wordSketch(text));
    const { content, starts, ends } = readQuestion(text);
    expect([starts.length, ends.length]).toEqual([content.length, content.length]);
    expect(foldWords(text)).toEqual(foldWords(text));
    for (const { offset } of textFaults(text, undefined)) expect(offset).toBeLessThan(text.length);
  });
});

test.each(['word ', 'e\u0301\u0316', '\\frac{1}{'])('a gold answer of a megabyte: %j', (unit) => {
  const gold = unit.repeat(megabyte / unit.length);
  expect(judgeText('Paris', [gold], { minF1: 1, numberTolerance: 1e-6 }).correct).toBe(false);
  expect(judgeMath('7', gold, 1e-6).judgement).toBe('undecided');
  expect(judgeMath(gold, gold, 1e-6).judgement).toBe('correct');
});

/** As long as an answer that is still read as mathematics may be. */
const longestRead = 2_000;

test.each([
  ['nested fractions', '\\frac{1}{'.repeat(200)],
  ['closed nested fractions', `${'\\frac{1}{1+'.repeat(120)}1${'}'.repeat(120)}`],
  ['a tower of powers', `9${'^{9'.repeat(400)}${'}'.repeat(400)}`],
  ['factorials', `9${'!'.repeat(longestRead - 2)}`],
  ['nested roots', `${'\\sqrt{'.repeat(280)}2${'}'.repeat(280)}`],
  ['brackets', '('.repeat(longestRead - 1)],
  ['a product of sums', '(x+y)'.repeat(350)],
  ['a great power of a sum', '(x+1)^{999999999}'],
  ['a great number', `10^{${'9'.repeat(1_000)}}`],
  ['a great set', `\\{${Array.from({ length: 500 }, (_, at) => at).join(',')}\\}`],
  ['many plus-minus signs', `1${'\\pm 1'.repeat(300)}`],
  ['many absolute values', '|'.repeat(longestRead - 1)],
  ['words behind a number', `1 ${'abcd '.repeat(390)}`],
  ['white space behind numbers', '1 '.repeat(900)],
  ['commands', '\\text{'.repeat(300)],
  ['white space before a letter', `1${' '.repeat(1_990)}x`],
  ['words that lead to an answer', 'Thus, so, the answer is '.repeat(80)],
  ['fractions in one character', '½'.repeat(1_990)],
])('a LaTeX bomb is no right answer: %s', (_, bomb) => {
  expect(judgeMath(bomb, '7', 1e-6).judgement).not.toBe('correct');
  expect(judgeMath('7', bomb, 1e-6).judgement).not.toBe('correct');
  expect(judgeText(bomb, ['7'], { minF1: 1, numberTolerance: 1e-6 }).correct).toBe(false);
  expect(judgeMath(`${bomb} `, bomb, 1e-6).judgement).toBe('correct');
  judgeMath(bomb, `1+${bomb}`, 1e-6);
});
