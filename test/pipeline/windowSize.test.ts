import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TaskOrder } from '../../pipeline/run/windows/taskOrder.ts';
import { firstWindow, nextWindow } from '../../pipeline/run/windows/windowSize.ts';

const rows = (tasks: number, held: number, wanted: number, available = 1e6) => ({
  ...{ tasks, available, wanted },
  ...{ rows: held, held },
});

test.each([
  ['a tenth of many rows', 10_000, 'rows', 1_000],
  ['twenty at least', 150, 'rows', 20],
  ['never more than rows', 5, 'rows', 5],
  ['twenty for tokens', 5_000_000, 'tokens', 20],
] as const)('the first window: %s', (_, wanted, unit, tasks) => {
  expect(firstWindow({ available: 1e6, wanted }, unit)).toBe(tasks);
  expect(firstWindow({ available: 3, wanted }, unit)).toBe(3);
});

test.each([
  ['what is missing at the measured yield', rows(100, 50, 200), 300],
  ['at least eight', rows(100, 50, 51), 8],
  ['at least a fiftieth of those before', rows(10_000, 5_000, 5_001), 200],
  ['as many again without a row', rows(20, 0, 200), 20],
  // The upper bound of 2 in 20 is 0.30103.
  ['at the highest yield that few rows allow', rows(20, 2, 200), Math.ceil(198 / 0.30103)],
  ['no more than there are', rows(20, 2, 200, 30), 10],
  ['none where enough is there', rows(20, 20, 20), 0],
  ['none where no task is left', rows(20, 2, 200, 20), 0],
  ['what is missing of tokens', { ...rows(100, 50, 0), held: 5_000, wanted: 20_000 }, 300],
  ['less than a task a row', rows(100, 300, 600), 100],
] as const)('the next window takes %s', (_, before, tasks) => {
  expect(nextWindow(before)).toBe(tasks);
});

test('windows come to the target or to the last task, whatever the yield is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 1, max: 3_000 }),
      fc.double({ min: 0, max: 2, noNaN: true }),
      (wanted, available, rate) => {
        let tasks = firstWindow({ available, wanted }, 'rows');
        let windows = 1;
        for (; ; windows++) {
          const held = Math.floor(tasks * rate);
          const more = nextWindow(rows(tasks, held, wanted, available));
          if (more === 0) break;
          tasks += more;
        }
        expect(tasks === available || Math.floor(tasks * rate) >= wanted).toBe(true);
        expect(windows).toBeLessThan(60);
      },
    ),
  );
});

test('tasks are taken in their order, of one profile or of all', () => {
  const order = new TaskOrder();
  for (const profile of ['a', 'b', 'a', 'a', 'b', 'c']) order.add(profile);
  expect(order.all()).toEqual({ a: 3, b: 2, c: 1 });
  expect(order.first(3)).toEqual({ a: 2, b: 1 });
  const some = order.with({}, 'b', 1);
  expect([...order.placesOf(some).values()]).toEqual([1]);
  const more = order.with(some, '*', 3);
  expect([...order.placesOf(more).values()]).toEqual([0, 1, 2, 3]);
  expect([...order.placesOf(order.with(more, 'c', 9)).values()]).toEqual([0, 1, 2, 3, 5]);
});
