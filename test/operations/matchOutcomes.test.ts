import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchOutcomes } from '../../operations/compareRuns.ts';
import type { RecordOutcome } from '../../operations/recordOutcomes.ts';

test('rollouts of one task are paired by their numbers, whatever their ids and order', () => {
  const end = (record_id: string, rollout?: number): RecordOutcome => ({
    ...{ kind: 'kept', stage: 'export', reason: null, record_id, rows: 1 },
    ...(rollout !== undefined && { rollout }),
  });
  const was = [end('a'), end('b', 2), end('z', 1)];
  const now = [end('c', 3), end('d', 1), end('e'), end('z', 1)];
  const pairs = matchOutcomes(was, now).map(([one, other]) => [one?.record_id, other?.record_id]);
  expect(pairs).toEqual([
    ['z', 'z'],
    ['a', 'e'],
    [undefined, 'd'],
    ['b', undefined],
    [undefined, 'c'],
  ]);
});

const ends = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 })
  .map((ids) =>
    ids
      .toSorted()
      .map(
        (record_id): RecordOutcome => ({ kind: 'kept', stage: 'export', reason: null, record_id, rows: 1 }),
      ),
  );

test('every record of both runs is in one pair, and as many as can be with their equals', () => {
  fc.assert(
    fc.property(ends, ends, (was, now) => {
      const pairs = matchOutcomes(was, now);
      const sorted = (list: readonly RecordOutcome[]) => list.map(({ record_id }) => record_id).sort();
      expect(sorted(pairs.flatMap(([one]) => one ?? []))).toEqual(sorted(was));
      expect(sorted(pairs.flatMap(([, other]) => other ?? []))).toEqual(sorted(now));
      expect(pairs).toHaveLength(Math.max(was.length, now.length));
      const countOf = (list: readonly RecordOutcome[], id: string) =>
        list.filter(({ record_id }) => record_id === id).length;
      const shared = ['a', 'b', 'c', 'd', 'e'].reduce(
        (sum, id) => sum + Math.min(countOf(was, id), countOf(now, id)),
        0,
      );
      expect(pairs.filter(([one, other]) => one?.record_id === other?.record_id)).toHaveLength(shared);
      expect(matchOutcomes(now, was)).toEqual(pairs.map(([one, other]) => [other, one]));
    }),
  );
});
