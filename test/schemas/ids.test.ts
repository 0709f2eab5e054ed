import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, contentId, sha256Hex } from '../../base/ids.ts';
import { taskId } from '../../schemas/task.ts';
import { eventId, traceId } from '../../schemas/trace.ts';
import { trajectoryId } from '../../schemas/trajectory.ts';

test('ids do not depend on the order of keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse());
      expect(contentId('task', turned)).toBe(contentId('task', value));
    }),
  );
});

test('canonical JSON is JSON of the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('hashes are of UTF-8, known values', () => {
  expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256Hex('é')).toBe(sha256Hex(new TextEncoder().encode('é')));
  expect(sha256Hex('\ud800')).toBe(sha256Hex('\ufffd'));
});

test('a task keeps its id wherever it stands, and changes it with what is asked', () => {
  const task = { question: 'Who?', answers: ['she'], domain: 'qa', profile: 'mhqa' } as const;
  const placed = {
    ...task,
    answers: [...task.answers],
    source: { file: 'a.jsonl', row: 3 },
    extra: { a: 1 },
  };
  expect(taskId(placed)).toBe(taskId({ ...task, answers: ['she'] }));
  expect(taskId({ ...task, answers: ['he'] })).not.toBe(taskId({ ...task, answers: ['she'] }));
});

test('an event keeps its id whatever it cost, and changes it with its place', () => {
  const identity = { type: 'tool_call', tool: 'code', input: {}, observation: 'x' } as const;
  expect(eventId({ task_id: 'task_1' }, 0, identity)).toBe(
    eventId({ task_id: 'task_1' }, 0, { ...identity }),
  );
  expect(eventId({ task_id: 'task_1' }, 1, identity)).not.toBe(eventId({ task_id: 'task_1' }, 0, identity));
});

test('a trajectory keeps its id when it is judged', () => {
  const content = {
    task_id: 'task_1',
    profile: 'mhqa',
    system: 's',
    user: 'u',
    segments: [{ tag: 'answer', origin: 'model' as const, text: '<answer>a</answer>', event: 'event_1' }],
  };
  expect(trajectoryId({ ...content, quality: 'judged' } as typeof content)).toBe(trajectoryId(content));
  expect(trajectoryId({ ...content, user: 'v' })).not.toBe(trajectoryId(content));
});

test('the first rollout has the ids of an only one, and every other one ids of its own', () => {
  const of = (rollout?: number) => ({ task_id: 'task_1', ...(rollout !== undefined && { rollout }) });
  const identity = { type: 'tool_call', tool: 'code', input: {}, observation: 'x' } as const;
  const written = {
    profile: 'mhqa',
    system: 's',
    user: 'u',
    segments: [{ tag: 'answer', origin: 'model' as const, text: '<answer>a</answer>', event: 'event_1' }],
  };
  const idsOf = (rollout?: number) => [
    eventId(of(rollout), 0, identity),
    traceId(of(rollout), []),
    trajectoryId({ ...of(rollout), ...written }),
  ];
  expect(idsOf(0)).toEqual(idsOf());
  expect(new Set([...idsOf(), ...idsOf(1), ...idsOf(2)]).size).toBe(9);
});
