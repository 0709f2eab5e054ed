import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { preferenceConfigSchema } from '../../schemas/config/preference.ts';
import { choosePairs, type PairCandidate } from '../../stages/choosePairs.ts';

let texts = 0;
const candidate = (id: string, score: number, chars = 100, text = texts++): PairCandidate => ({
  index: Number(id.slice(1)),
  id,
  score,
  chars,
  text,
});
const settings = (given: object = {}) => preferenceConfigSchema.parse(given);
const pairs = (chosen: PairCandidate[], rejected: PairCandidate[], given: object = {}) =>
  choosePairs({ chosen, rejected }, settings(given)).map((pair) => `${pair.chosen.id}>${pair.rejected.id}`);

const right = [candidate('a1', 1, 100), candidate('a2', 1, 300)];
const wrong = [candidate('b1', 0.4, 120), candidate('b2', 0, 290), candidate('b3', 0, 900)];

describe('the pairs of a task', () => {
  test('begin with the best against the worst, and use every trajectory before one twice', () => {
    expect(pairs(right, wrong)).toEqual(['a1>b2']);
    expect(pairs(right, wrong, { per_task: 3 })).toEqual(['a1>b2', 'a2>b3', 'a1>b1']);
    expect(pairs(right, wrong, { per_task: 99 })).toHaveLength(6);
    expect(pairs([], wrong)).toEqual([]);
  });

  test('have different texts, also where only later ones do', () => {
    const same = candidate('b1', 0, 10, 7);
    const [one, other] = [candidate('a1', 1, 10, 7), candidate('a2', 1, 20, 8)];
    expect(pairs([one], [same])).toEqual([]);
    expect(pairs([one, other], [same])).toEqual(['a2>b1']);
    expect(pairs([one, other], [same], { max_length_ratio: 9 })).toEqual(['a2>b1']);
    expect(pairs([one, other], [same, candidate('b2', 0.5)], { per_task: 2 })).toEqual(['a1>b2', 'a2>b1']);
    // A judge of several votes may score one text in two ways.
    expect(pairs([one, other], [same, one, other], { by: 'score' })).toEqual(['a2>b1']);
  });

  test('are nearly as long as each other where that is asked, the nearest first', () => {
    expect(pairs(right, wrong, { max_length_ratio: 1.5, per_task: 9 })).toEqual(['a2>b2', 'a1>b1']);
    expect(pairs(right, wrong, { max_length_ratio: 1 })).toEqual([]);
  });

  test('are found among 600 trajectories of one task', () => {
    const side = (name: string, step: number) =>
      Array.from({ length: 300 }, (_, at) => candidate(`${name}${at}`, 1, 1_000 + at * step));
    expect(pairs(side('a', 0), side('b', 0), { per_task: 2 })).toEqual(['a0>b0', 'a1>b1']);
    // The nearest in length that no other pair uses: lengths that both sides have.
    const near = { per_task: 3, max_length_ratio: 2 };
    expect(pairs(side('a', 7), side('b', 11), near)).toEqual(['a0>b0', 'a11>b7', 'a22>b14']);
  });

  test('by score need a margin, and no trajectory stands against itself', () => {
    const all = [...right, ...wrong];
    const by = { by: 'score', per_task: 99, min_margin: 0.5 };
    expect(pairs(all, all, by).sort()).toEqual(['a1>b1', 'a1>b2', 'a1>b3', 'a2>b1', 'a2>b2', 'a2>b3']);
    expect(pairs(all, all, { ...by, min_margin: 0.4 })).toHaveLength(8);
  });
});

test('the order of the candidates does not matter, no pair comes twice, and a limit only adds', () => {
  const side = fc.uniqueArray(
    fc.record({ at: fc.nat(50), score: fc.constantFrom(0, 0.5, 1), chars: fc.integer({ min: 1, max: 400 }) }),
    { selector: ({ at }) => at, maxLength: 6 },
  );
  const given = fc.record({
    by: fc.constantFrom('answer', 'score'),
    per_task: fc.integer({ min: 1, max: 9 }),
    max_length_ratio: fc.constantFrom(null, 1.5, 4),
  });
  fc.assert(
    fc.property(side, side, given, (a, b, config) => {
      const chosen = a.map(({ at, score, chars }) => candidate(`a${at}`, score, chars));
      const rejected = b.map(({ at, score, chars }) => candidate(`b${at}`, score, chars));
      const found = pairs(chosen, rejected, config);
      expect(pairs(chosen.toReversed(), rejected.toReversed(), config)).toEqual(found);
      expect(new Set(found).size).toBe(found.length);
      expect(found.length).toBeLessThanOrEqual(config.per_task);
      expect(pairs(chosen, rejected, { ...config, per_task: 99 }).slice(0, found.length)).toEqual(found);
    }),
    { numRuns: 200, seed: 3 },
  );
});
