import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { judgeText } from '../../../schemas/answers/judgeText.ts';
import { emittedTasks, readTasks } from '../../support/readTasks.ts';

const correct = (answer: string, ...golds: string[]) =>
  judgeText(answer, golds, { minF1: 1, numberTolerance: 1e-9 }).correct;
/** Tests that the judge of words accepts every gold answer of a file in NQ's layout, and no changed number. */
export function testTextGolds(path: string): void {
  test(`every gold answer of ${basename(path)} is right, and no changed number is`, async () => {
    const outcomes = await readTasks([{ path: path, preset: 'nq' }]);
    for (const { answers } of emittedTasks(outcomes)) {
      for (const answer of answers) {
        expect(correct(answer, ...answers)).toBe(true);
        const changed = answer.replace(/\d+/, (digits) => String(BigInt(digits) + 1n));
        if (changed !== answer) expect(correct(changed, answer)).toBe(false);
      }
    }
  });
}
