import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitOf } from '../../../output/dataset/datasetCounts.ts';

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a larger share only moves tasks into the validation split', () => {
  fc.assert(
    fc.property(fc.string(), share, share, (task, a, b) => {
      const [smaller, larger] = [Math.min(a, b), Math.max(a, b)];
      if (splitOf(task, smaller) === 'validation') expect(splitOf(task, larger)).toBe('validation');
    }),
  );
});

test('without a share no task validates', () => {
  fc.assert(fc.property(fc.string(), (task) => splitOf(task, 0) === 'train'));
});

test.each([0.01, 0.1, 0.5, 0.9])('a share of %d is that of many tasks', (wanted) => {
  const tasks = 20_000;
  const validating = Array.from({ length: tasks }, (_, at) => splitOf(`task_${at}`, wanted)).filter(
    (split) => split === 'validation',
  );
  // Four standard deviations of as many throws of a die.
  const tolerance = 4 * Math.sqrt((wanted * (1 - wanted)) / tasks);
  expect(Math.abs(validating.length / tasks - wanted)).toBeLessThan(tolerance);
});
