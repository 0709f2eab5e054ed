import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeMath } from '../../../stages/judge/math/judgeMath.ts';
import { normaliseLatex } from '../../../stages/judge/math/latexText.ts';
import { mathGolds } from '../../support/mathGolds.ts';

const judge = (answer: string, gold: string) => judgeMath(answer, gold, 1e-9).judgement;

/** Tests that a judge of mathematics accepts every gold answer of a file, and none that is changed. */
export function testGolds(path: string, count: number): void {
  describe(`the gold answers of ${basename(path)}`, () => {
    test('are right as they are, and in other spellings', async () => {
      const golds = await mathGolds(path);
      expect(golds).toHaveLength(count);
      for (const gold of golds) {
        const spellings = [
          gold,
          `$${gold}$`,
          ` ${gold}.`,
          gold.replaceAll('\\frac', '\\dfrac'),
          gold.replace(/\\(?:left|right)/g, ''),
        ];
        for (const spelling of spellings)
          expect([spelling, judge(spelling, gold)]).toEqual([spelling, 'correct']);
      }
    });

    test('are wrong when any one number in them is changed', async () => {
      for (const gold of await mathGolds(path)) {
        for (const { 0: digits, index } of gold.matchAll(/\d+/g)) {
          const changed =
            gold.slice(0, index) + String(BigInt(digits) + 1n) + gold.slice(index + digits.length);
          expect([changed, judge(changed, gold)]).toEqual([changed, 'incorrect']);
        }
      }
    });

    test('are normalised once and for all', async () => {
      for (const gold of await mathGolds(path)) {
        expect(normaliseLatex(normaliseLatex(gold))).toBe(normaliseLatex(gold));
      }
    });
  });
}
