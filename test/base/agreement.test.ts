import { expect, test } from 'vitest';
import { cohensKappa, krippendorffsAlpha } from '../../base/statistics/agreement.ts';

/** Of raters with gaps: what each thing was rated. */
const rated = (...raters: readonly string[]) =>
  Array.from({ length: raters[0]!.length }, (_, at) =>
    raters.map((rater) => rater[at]!).filter((value) => value !== '.'),
  );

// scikit-learn 1.9.1: cohen_kappa_score([1,1,0,0,1,0,1,1,0,1,0,1], [1,0,0,0,1,1,1,1,0,1,0,0]) = 0.5
test("Cohen's kappa is scikit-learn's", () => {
  expect(
    cohensKappa([
      [4, 1],
      [2, 5],
    ]),
  ).toBeCloseTo(0.5, 12);
});

// krippendorff 0.9.0: alpha(data, level_of_measurement='nominal')
test.each([
  [0.5324675324675325, ['110010.101', '100.111101', '.1001010..']],
  [0.691358024691358, ['.....34121133.3', '1.213343.......', '..21344.21133.4']],
])("Krippendorff's alpha is that of the package krippendorff: %s", (alpha, raters) => {
  expect(krippendorffsAlpha(rated(...raters))).toBeCloseTo(alpha, 12);
});

test('nothing is said of what was rated once, or with one value throughout', () => {
  expect(cohensKappa([])).toBeNull();
  expect(
    cohensKappa([
      [5, 0],
      [0, 0],
    ]),
  ).toBeNull();
  expect(krippendorffsAlpha([['a'], ['b']])).toBeNull();
  expect(
    krippendorffsAlpha([
      ['a', 'a'],
      ['a', 'a', 'a'],
    ]),
  ).toBeNull();
});
