import { describe, expect, test } from 'vitest';
import { chooseBands } from '../../../stages/dedup/index/bandKeys.ts';
import { MinHash } from '../../../stages/dedup/shingles/minHash.ts';
import { mulberry32 } from '../../support/mulberry32.ts';

const { bands, rows } = chooseBands(0.8);
const bins = bands * rows;
const hasher = new MinHash(bins);

describe.each([2, 5, 20, 100, 300, 1_000, 5_000])('sets of about %i shingles', (size) => {
  test('agree in as many numbers as their Jaccard similarity says, and miss each other as rarely as planned', () => {
    const random = mulberry32(size);
    const pairs = 400;
    let agreeing = 0;
    let similarities = 0;
    let missed = 0;
    let planned = 0;
    for (let pair = 0; pair < pairs; pair++) {
      const { a, b, similarity } = pairOf(size, 0.85, random);
      const equal = equalNumbers(a, b);
      agreeing += equal.filter(Boolean).length / bins;
      similarities += similarity;
      missed += Number(!bandIsEqual(equal));
      planned += (1 - similarity ** rows) ** bands;
    }
    // Four standard errors of a mean of so many pairs, were every number of a pair drawn at once.
    expect(Math.abs(agreeing - similarities) / pairs).toBeLessThan(
      4 * Math.sqrt(0.25 / pairs / Math.min(bins, size)),
    );
    expect(missed).toBeLessThanOrEqual(planned + 4);
  });
});

test('a set whose only hash stands for none has a sketch too', () => {
  const sketch = new Int32Array(bins);
  hasher.sketch(Int32Array.of(-1, -1), 2, sketch);
  expect(new Set(sketch).size).toBe(1);
});

test.each([0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1])(
  'the bands for %d miss at most one in a hundred pairs 0.05 above, and few meet that have little in common',
  (threshold) => {
    const shape = chooseBands(threshold);
    const missed = (similarity: number) => (1 - similarity ** shape.rows) ** shape.bands;
    expect(missed(Math.min(1, threshold + 0.05))).toBeLessThanOrEqual(0.01);
    expect(1 - missed(0.05)).toBeLessThan(0.15);
    expect(shape.bands * shape.rows).toBeLessThanOrEqual(256);
  },
);

/** Two sets that share so many hashes as bring them next to a similarity. */
function pairOf(size: number, similarity: number, random: () => number) {
  const hash = () => Math.floor(random() * 2 ** 32) | 0;
  const shared = Math.round((size * 2 * similarity) / (1 + similarity));
  const common = Array.from({ length: Math.max(1, shared) }, hash);
  const only = () => Array.from({ length: size - shared }, hash);
  const a = Int32Array.from([...common, ...only()]);
  const b = Int32Array.from([...only(), ...common]);
  return { a, b, similarity: common.length / (a.length + b.length - common.length) };
}

function equalNumbers(a: Int32Array, b: Int32Array): boolean[] {
  const [sketchA, sketchB] = [new Int32Array(bins), new Int32Array(bins)];
  hasher.sketch(a, a.length, sketchA);
  hasher.sketch(b, b.length, sketchB);
  return [...sketchA].map((number, at) => number === sketchB[at]);
}

function bandIsEqual(equal: readonly boolean[]): boolean {
  return Array.from({ length: bands }, (_, band) => equal.slice(band * rows, (band + 1) * rows)).some(
    (rowsOfBand) => rowsOfBand.every(Boolean),
  );
}
