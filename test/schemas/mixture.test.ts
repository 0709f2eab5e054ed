import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memberOf } from '../../schemas/config/resolved/mixture.ts';

const mixture = [
  { name: 'a', share: 2 },
  { name: 'b', share: 1 },
  { name: 'c', share: 1 },
];

test('shares hold over tasks and within each task, and nothing but id and number decides', () => {
  const counts = new Map<string, number>();
  for (let task = 0; task < 500; task++) {
    const ofTask = Array.from(
      { length: 8 },
      (_, rollout) => memberOf(mixture, { task_id: `t${task}`, rollout }).name,
    );
    for (const name of ofTask) counts.set(name, (counts.get(name) ?? 0) + 1);
    // Of eight, four are its share.
    expect(Math.abs(ofTask.filter((name) => name === 'a').length - 4)).toBeLessThanOrEqual(1);
  }
  const share = (name: string) => counts.get(name)! / 4000;
  expect(share('a')).toBeCloseTo(0.5, 1);
  expect(share('b')).toBeCloseTo(0.25, 1);
  expect(share('c')).toBeCloseTo(0.25, 1);
  fc.assert(
    fc.property(fc.string(), fc.nat(999), (task_id, rollout) => {
      const member = memberOf(mixture, { task_id, rollout });
      expect(memberOf(mixture, { task_id, rollout })).toBe(member);
      expect(memberOf(mixture, { task_id, rollout: rollout + 1000, repairs: rollout })).toBe(member);
    }),
    { numRuns: 100 },
  );
});
