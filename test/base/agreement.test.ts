import { expect, test } from 'vitest';
import { cohensKappa } from '../../base/statistics/agreement.ts';

// scikit-learn 1.9.1: cohen_kappa_score([1,1,0,0,1,0,1,1,0,1,0,1], [1,0,0,0,1,1,1,1,0,1,0,0]) = 0.5
test("Cohen's kappa is scikit-learn's", () => {
  expect(
    cohensKappa([
      [4, 1],
      [2, 5],
    ]),
  ).toBeCloseTo(0.5, 12);
});

test('nothing is said of what was rated once, or with one value throughout', () => {
  expect(cohensKappa([])).toBeNull();
  expect(
    cohensKappa([
      [5, 0],
      [0, 0],
    ]),
  ).toBeNull();
});
