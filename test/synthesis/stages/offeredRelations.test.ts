import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_RELATIONS, offeredRelations } from '../../../synthesis/stages/measureChecker.ts';

test('a reader is offered the needed relations among others, and never more than a few', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(words, fc.nat(), fc.nat(9), (relations, seed, many) => {
      const all = relations.toSorted();
      const needed = relations.slice(0, many);
      const offered = offeredRelations(needed, all, [seed, 'candidate']);
      expect(offered).toHaveLength(Math.min(all.length, MAX_RELATIONS));
      expect(new Set(offered).size).toBe(offered.length);
      expect(offered).toEqual(expect.arrayContaining(needed));
      expect(all).toEqual(expect.arrayContaining(offered));
      expect(offered).toEqual(offered.toSorted());
    }),
  );
});
