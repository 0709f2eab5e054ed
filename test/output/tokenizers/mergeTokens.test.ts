import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMergeTable, mergeTokens } from '../../../output/tokenizers/byteLevel/mergeTokens.ts';
import { cases } from '../../support/cases.ts';

interface Merge {
  readonly left: number;
  readonly right: number;
  readonly joined: number;
}

/** Three letters, and up to twelve merges of whatever tokens there are by then. */
const mergesArbitrary: fc.Arbitrary<Merge[]> = fc
  .uniqueArray(fc.tuple(fc.nat(14), fc.nat(14)), { maxLength: 12, selector: String })
  .map((pairs) =>
    pairs.map(([left, right], rank) => ({
      left: left % (3 + rank),
      right: right % (3 + rank),
      joined: 3 + rank,
    })),
  )
  .map((merges) =>
    merges.filter(
      (merge, at) =>
        at === merges.findIndex((other) => other.left === merge.left && other.right === merge.right),
    ),
  );

test.each([
  ['short pieces', { minLength: 0, maxLength: 48 }],
  ['long pieces', { minLength: 49, maxLength: 200 }],
])('%s merge the lowest rank first, and of equal ranks the leftmost', (_, lengths) => {
  fc.assert(
    fc.property(mergesArbitrary, fc.array(fc.nat(2), lengths), (merges, letters) => {
      const table = createMergeTable(merges.map(({ left, right, joined }) => [left, right, joined]));
      const tokens = Int32Array.from(letters);
      const count = mergeTokens(tokens, tokens.length, table);
      expect([...tokens.subarray(0, count)]).toEqual(mergeByDefinition(letters, merges));
    }),
    { numRuns: cases(2_000) },
  );
});

function mergeByDefinition(letters: readonly number[], merges: readonly Merge[]): number[] {
  const tokens = [...letters];
  for (;;) {
    const first = merges.find(({ left, right }) =>
      tokens.some((token, at) => token === left && tokens[at + 1] === right),
    );
    if (first === undefined) return tokens;
    const at = tokens.findIndex((token, index) => token === first.left && tokens[index + 1] === first.right);
    tokens.splice(at, 2, first.joined);
  }
}
