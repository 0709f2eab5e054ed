import { expect, test } from 'vitest';
import { failureOf, RecordFailure } from '../../contract/errors.ts';
import { SuspectFailures } from '../../pipeline/workers/suspectFailures.ts';

const failed = { kind: 'fail', failure: failureOf(new RecordFailure('endpoint_rejected', 'no')) } as const;
const answered = { kind: 'emit', records: [] } as const;

function outcomeOf(worker: string, key: string, outcome: typeof failed | typeof answered = failed) {
  return { worker, stage: 'rollout', key, input: { record: key }, outcome } as const;
}

const keysOf = (outcomes: readonly { readonly key: string }[]) => outcomes.map(({ key }) => key);

test('failures of a worker that had no answer wait for the first answer: its own lets them stand, that of another repeats them', () => {
  const suspects = new SuspectFailures();
  const waits = { stand: [], again: [], leave: [] };
  expect(suspects.note(outcomeOf('bad', 'a'))).toEqual(waits);
  expect(suspects.note(outcomeOf('good', 'b'))).toEqual(waits);
  expect(suspects.size).toBe(2);
  const { stand, again, leave } = suspects.note(outcomeOf('good', 'c', answered));
  expect(keysOf(stand)).toEqual(['b', 'c']);
  expect(keysOf(again)).toEqual(['a']);
  expect(leave).toEqual([]);
  expect(suspects.size).toBe(0);
  expect(keysOf(suspects.note(outcomeOf('good', 'd')).stand)).toEqual(['d']);
  expect(keysOf(suspects.note(outcomeOf('bad', 'a')).again)).toEqual(['a']);
});

test('a worker that fails eight tasks where another is answered is told to leave, once', () => {
  const suspects = new SuspectFailures();
  suspects.note(outcomeOf('good', 'g', answered));
  const told = Array.from({ length: 10 }, (_, n) => suspects.note(outcomeOf('bad', `b${n}`)).leave);
  expect(told.map((names) => names.length)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
});

test('where nobody is answered all failures stand in the end', () => {
  const suspects = new SuspectFailures();
  for (const worker of ['x', 'y']) suspects.note(outcomeOf(worker, worker));
  expect(keysOf(suspects.release())).toEqual(['x', 'y']);
  expect(suspects.size).toBe(0);
});

test('an answer at one stage says nothing of another', () => {
  const suspects = new SuspectFailures();
  suspects.note({ ...outcomeOf('good', 'g', answered), stage: 'judge' });
  suspects.note(outcomeOf('bad', 'b'));
  expect(suspects.size).toBe(1);
});
