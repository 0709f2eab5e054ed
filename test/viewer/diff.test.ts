import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diff } from '../../viewer/pages/diff.ts';

test('a diff holds both sides, and nothing that both begin or end with stands apart', () => {
  const parts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  fc.assert(
    fc.property(parts, parts, (from, to) => {
      const pieces = diff(from, to);
      const side = (other: string) => pieces.flatMap(({ kind, parts }) => (kind === other ? [] : parts));
      expect(side('added')).toEqual(from);
      expect(side('removed')).toEqual(to);
      expect(pieces.every(({ kind }, at) => kind !== pieces[at - 1]?.kind)).toBe(true);
    }),
  );
});

test('as much as can be is the same', () => {
  expect(diff('a b c d e'.split(' '), 'a x c e f'.split(' '))).toEqual([
    { kind: 'same', parts: ['a'] },
    { kind: 'removed', parts: ['b'] },
    { kind: 'added', parts: ['x'] },
    { kind: 'same', parts: ['c'] },
    { kind: 'removed', parts: ['d'] },
    { kind: 'same', parts: ['e'] },
    { kind: 'added', parts: ['f'] },
  ]);
});
