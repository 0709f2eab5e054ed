import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeMath } from '../../../stages/judge/math/judgeMath.ts';
import { mathGolds } from '../../support/mathGolds.ts';
import type { MathMutation } from '../../support/mathMutations/mathMutation.ts';
import { mutationsOf } from '../../support/mathMutations/mutationsOf.ts';

/** Thirty times less than a comparison may take. */
const mostSteps = 1_000;

/** Wrong by so little that the tolerance for decimals takes it for right. */
const withinTolerance = '11111111100.001';

async function mutatedGolds(path: string): Promise<(readonly [string, readonly MathMutation[]])[]> {
  return [...new Set(await mathGolds(path))].map((gold) => [gold, mutationsOf(gold)] as const);
}

/** Tests the judge of mathematics on mutations of the gold answers of a file. */
export function testMutations(path: string): void {
  describe(`mutations of ${basename(path)}`, () => {
    test('each gold answer has at least ten mutations, equal and unequal ones', async () => {
      for (const [gold, mutations] of await mutatedGolds(path)) {
        const equal = mutations.filter((mutation) => mutation.equal).length;
        expect([gold, mutations.length >= 10, equal >= 3, mutations.length - equal >= 3]).toEqual([
          gold,
          true,
          true,
          true,
        ]);
      }
    });

    test('mutations are judged by how they were made, in either order and within few steps', async () => {
      const wrong: unknown[] = [];
      let steps = 0;
      for (const [gold, mutations] of await mutatedGolds(path)) {
        for (const { kind, answer, equal } of mutations) {
          const expected = equal || answer === withinTolerance ? 'correct' : 'incorrect';
          const swapped = kind === 'base left away' ? 'undecided' : expected;
          for (const [finding, judgement] of [
            [judgeMath(answer, gold, 1e-9), expected],
            [judgeMath(gold, answer, 1e-9), swapped],
          ] as const) {
            if (finding.judgement !== judgement) wrong.push({ kind, gold, answer, finding });
            steps = Math.max(steps, finding.steps);
          }
        }
      }
      expect(wrong).toEqual([]);
      expect(steps).toBeLessThan(mostSteps);
    });
  });
}
