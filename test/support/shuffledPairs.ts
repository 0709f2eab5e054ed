import fc from 'fast-check';

/** Lists, each beside itself in another order. */
export function shuffledPairs<T>(lists: fc.Arbitrary<T[]>): fc.Arbitrary<[T[], T[]]> {
  return lists.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  );
}
