import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { judgeText } from '../../schemas/answers/judgeText.ts';
import { judgeMath } from '../../stages/judge/math/judgeMath.ts';

/** Pairs of a file of `answer ## gold` lines. */
function pairsOf(name: string): (readonly [answer: string, gold: string])[] {
  const text = readFileSync(path.join(import.meta.dirname, '../fixtures/wrongPairs', name), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
  return lines.map((line) => line.split(' ## ') as [string, string]);
}

test('no answer to mathematics that is wrong but near is judged right', () => {
  const pairs = pairsOf('maths.txt');
  expect(pairs.length).toBeGreaterThan(300);
  expect(pairs.filter(([answer, gold]) => judgeMath(answer, gold, 1e-9).judgement === 'correct')).toEqual([]);
});

test('no text that is wrong but near is judged right', () => {
  const pairs = pairsOf('text.txt');
  expect(pairs.length).toBeGreaterThan(100);
  const settings = { minF1: 1, numberTolerance: 1e-9 };
  expect(pairs.filter(([answer, gold]) => judgeText(answer, [gold], settings).correct)).toEqual([]);
});
