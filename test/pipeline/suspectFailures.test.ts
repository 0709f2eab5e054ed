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
  const doubts = new SuspectFailures();
  const waits = { stand: [], again: [], leave: [] };
  expect(doubts.note(outcomeOf('bad', 'a'))).toEqual(waits);
  expect(doubts.note(outcomeOf('good', 'b'))).toEqual(waits);
  expect(doubts.size).toBe(2);
  const { stand, again, leave } = doubts.note(outcomeOf('good', 'c', answered));
  expect(keysOf(stand)).toEqual(['b', 'c']);
  expect(keysOf(again)).toEqual(['a']);
  expect(leave).toEqual([]);
  expect(doubts.size).toBe(0);
  expect(keysOf(doubts.note(outcomeOf('good', 'd')).stand)).toEqual(['d']);
  expect(keysOf(doubts.note(outcomeOf('bad', 'a')).again)).toEqual(['a']);
});

test('a worker that fails eight tasks where another is answered is told to leave, once', () => {
  const doubts = new SuspectFailures();
  doubts.note(outcomeOf('good', 'g', answered));
  const told = Array.from({ length: 10 }, (_, n) => doubts.note(outcomeOf('bad', `b${n}`)).leave);
  expect(told.map((names) => names.length)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
});

test('where nobody is answered all failures stand in the end', () => {
  const doubts = new SuspectFailures();
  for (const worker of ['x', 'y']) doubts.note(outcomeOf(worker, worker));
  expect(keysOf(doubts.release())).toEqual(['x', 'y']);
  expect(doubts.size).toBe(0);
});

test('an answer at one stage says nothing of another', () => {
  const doubts = new SuspectFailures();
  doubts.note({ ...outcomeOf('good', 'g', answered), stage: 'judge' });
  doubts.note(outcomeOf('bad', 'b'));
  expect(doubts.size).toBe(1);
});
