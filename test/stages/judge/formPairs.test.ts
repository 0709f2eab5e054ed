import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CalibrationRow } from '../../../schemas/judgeCalibration.ts';
import { calibrateRow, type Judged } from '../../../stages/judge/calibrateRow.ts';
import { testRows } from '../../support/testData.ts';

type Pair = readonly [answer: string, gold: string];

/** Pairs of a file of lines `answer == gold`, and so on. */
function pairsOf(name: string): Record<'equal' | 'different' | 'wrong' | 'undecided', Pair[]> {
  const text = readFileSync(path.join(import.meta.dirname, '../../fixtures/formPairs', name), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
  const split = (sign: string) =>
    lines.filter((line) => line.includes(sign)).map((line) => line.split(sign) as [string, string]);
  return {
    equal: split(' == '),
    different: split(' != '),
    wrong: split(' <> '),
    undecided: split(' ?? '),
  };
}

const config = { min_f1: 1, number_tolerance: 1e-9 };

async function judged(row: Omit<CalibrationRow, 'question' | 'correct'>): Promise<Judged> {
  const labelled = { question: 'q', correct: true, ...row };
  const signal = new AbortController().signal;
  return (await calibrateRow(labelled, { config, model: undefined, signal })).rule.judged;
}

const files = [
  ['maths.txt', 'math'],
  ['text.txt', 'qa'],
] as const;

describe.each(files)('%s', (name, domain) => {
  const { equal, different, wrong, undecided } = pairsOf(name);
  const both = ([answer, gold]: Pair) =>
    Promise.all([
      judged({ answers: [gold], prediction: answer, domain }),
      judged({ answers: [answer], prediction: gold, domain }),
    ]);
  const unexpected = async (pairs: readonly Pair[], isExpected: (judged: Judged) => boolean) => {
    const found = await Promise.all(pairs.map(async (pair) => [...pair, ...(await both(pair))] as const));
    return found.filter(([, , ...verdicts]) => !verdicts.every(isExpected));
  };

  test('what says the same is right, whichever is the gold answer', async () => {
    expect(await unexpected(equal, (verdict) => verdict === 'correct')).toEqual([]);
  });

  test('what says something else is never right', async () => {
    expect(await unexpected(different, (verdict) => verdict !== 'correct')).toEqual([]);
    expect(await unexpected(wrong, (verdict) => verdict === 'incorrect')).toEqual([]);
  });

  test('what can not be told has no verdict', async () => {
    expect(await unexpected(undecided, (verdict) => verdict === 'unscored')).toEqual([]);
  });
});

test('there are enough labelled pairs', () => {
  const all = files.map(([name]) => pairsOf(name));
  expect(all.flatMap(({ equal, different }) => [...equal, ...different]).length).toBeGreaterThanOrEqual(400);
  expect(all.flatMap(({ different }) => different).length).toBeGreaterThanOrEqual(150);
});

test('what is right in other words is right or unscored', async () => {
  const rows = testRows<CalibrationRow>('field/j03_forms.jsonl');
  const verdicts = await Promise.all(rows.map(({ domain = 'qa', ...row }) => judged({ ...row, domain })));
  expect(verdicts).toEqual(['correct', 'correct', 'correct', 'unscored', 'unscored', 'unscored']);
});

test.each<[answer: string, gold: string, verdict: Judged]>([
  ['9', '9 (apples)', 'correct'],
  ['9 apples', '9 (apples)', 'correct'],
  ['8', '9 (apples)', 'incorrect'],
  ['9 (wrong)', '9', 'unscored'],
])('amounts with brackets: %s beside %s', async (prediction, gold, verdict) => {
  expect(await judged({ answers: [gold], prediction, domain: 'math' })).toBe(verdict);
});

test.each<[answer: string, gold: string]>([
  ['It was written by Ann Lee in 1912.', 'Ann Lee'],
  ['Lee', 'Ann Lee'],
  ['Lee, Ann', 'Ann Lee'],
  ['Wilhelm Röntgen', 'Wilhelm Conrad Röntgen'],
  ['USA', 'United States of America'],
  ['the United States of America (USA)', 'USA'],
  ['Spider-Man', 'Spider Man'],
  ['Muhamad Ali', 'Muhammad Ali'],
  ['colour blindness', 'color blindness'],
  ['Bob or Ann Lee', 'Ann Lee'],
  ['St. Petersburg', 'Saint Petersburg'],
  ['J. K. Rowling', 'Joanne Kathleen Rowling'],
  ['U.S.', 'United States of America'],
  ['Prof. Ann Lee', 'Professor Ann Lee'],
  ['Smith & Wesson', 'Smith and Wesson'],
  ['true', 'yes'],
  ['about 1.2 million people', '1,200,000'],
  ['They were married on March 12, 1985.', '12 March 1985'],
])('%s beside %s is unscored', async (prediction, gold) => {
  expect(await judged({ answers: [gold], prediction, domain: 'qa' })).toBe('unscored');
  expect(await judged({ answers: [prediction], prediction: gold, domain: 'qa' })).toBe('unscored');
});

test.each<[answer: string, gold: string]>([
  ['Bob', 'Ann Lee'],
  ['John Smith', 'John Adams'],
  ['Iran', 'Iraq'],
  ['World War II', 'World War I'],
  ['Apollo 11', 'Apollo 13'],
  ['Type I', 'Type II'],
  ['yes', 'false'],
  ['1.2 million', '1,300,000'],
  ['Al killed Bob', 'Bob killed Al'],
  ['the river', 'the lake'],
  ['Battle of Hastings', 'Battle of Waterloo'],
])('%s beside %s is wrong', async (prediction, gold) => {
  expect(await judged({ answers: [gold], prediction, domain: 'qa' })).toBe('incorrect');
});

test('labels of people are met', async () => {
  for (const row of testRows<CalibrationRow>('field/j01_judge_forms.jsonl')) {
    const { answers, prediction, domain = 'qa', correct } = row;
    const verdict = await judged({ answers, prediction, domain });
    expect([row, verdict]).toEqual([row, correct ? 'correct' : 'incorrect']);
  }
});
