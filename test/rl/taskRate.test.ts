import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rlTasksConfigSchema } from '../../rl/rlConfig.ts';
import { measuredRate, mixedProbability, rateProblem } from '../../rl/tasks/chooseTasks.ts';

/** Why a task that was solved so often is not learned from. */
function problemOf(passed: number, samples: number, settings: object): string | null {
  const config = rlTasksConfigSchema.parse(settings);
  return rateProblem(measuredRate({ passed, samples }, 8), config);
}

describe('a task is learned from by its pass rate', () => {
  test.for([
    [{}, 0, 0, null],
    [{}, 8, 8, null],
    [{ preset: 'afm_web' }, 9, 32, null],
    [{ preset: 'afm_web' }, 0, 32, null],
    [{ preset: 'afm_web' }, 10, 32, 'too_easy'],
    [{ preset: 'afm_web' }, 3, 31, 'few_samples'],
    [{ preset: 'afm_web' }, 0, 0, 'no_rate'],
    [{ preset: 'afm_code' }, 8, 8, 'too_easy'],
    [{ preset: 'afm_code' }, 0, 8, 'too_hard'],
    [{ preset: 'afm_code' }, 1, 8, null],
    [{ pass_rate: { min: 0.5 } }, 1, 4, 'too_hard'],
    [{ pass_rate: { min: 0.25 } }, 1, 4, null],
    [{ pass_rate: { max: 0.5 } }, 3, 4, 'too_easy'],
    [{ pass_rate: { max: 0.75 } }, 3, 4, null],
    [{ pass_rate: { max: 0.5 } }, 0, 0, 'no_rate'],
    [{ preset: 'afm_web', pass_rate: { max: 0.5 } }, 16, 32, null],
  ] as const)('%j: %i of %i: %s', ([settings, passed, samples, problem]) => {
    expect(problemOf(passed, samples, settings)).toBe(problem);
  });

  test('a group is mixed unless all of it is right or all of it wrong, by counting every group', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 10 }), (rate, n) => {
        let mixed = 0;
        for (let group = 1; group < 2 ** n - 1; group++) {
          const right = [...group.toString(2)].filter((bit) => bit === '1').length;
          mixed += rate ** right * (1 - rate) ** (n - right);
        }
        expect(mixedProbability(rate, n)).toBeCloseTo(mixed, 9);
      }),
    );
  });
});
