import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RolloutCalls } from '../../cli/progress/rolloutCalls.ts';
import { emitRecord } from '../../contract/stage.ts';

const scope = (task_id: string, rollout?: number) => ({
  work: { task_id, ...(rollout !== undefined && { rollout }) },
  role: 'planner' as const,
});

/** Plays tasks of so many calls, some at once, a call every so many milliseconds; returns what was shown at each. */
function play(callsByTask: readonly number[], atOnce: number, msACall: number) {
  const watched = new RolloutCalls();
  const waiting = callsByTask.map((calls, n) => ({ id: `t${n}`, calls }));
  const working = waiting.splice(0, atOnce);
  const shown: { nowMs: number; leftMs: number | undefined; open: number }[] = [];
  let [nowMs, ended] = [0, 0];
  for (let turn = 0; working.length > 0; turn++) {
    const task = working[turn % working.length]!;
    nowMs += msACall;
    watched.modelCall({ scope: scope(task.id) }, nowMs);
    if (--task.calls === 0) {
      watched.ended({ taskId: task.id, outcome: emitRecord({}) });
      ended++;
      const next = waiting.shift();
      working.splice(working.indexOf(task), 1, ...(next ? [next] : []));
    }
    const left = callsByTask.length - ended;
    shown.push({ nowMs, leftMs: watched.leftMs(left, 0, nowMs), open: working.length });
    const later = watched.leftMs(left, 0, nowMs + msACall / 2);
    const before = shown.at(-1)!.leftMs;
    // While nothing is answered, time goes by and nothing else.
    expect(later).toEqual(before === undefined ? undefined : Math.max(0, before - msACall / 2));
  }
  return { shown, endMs: nowMs, watched };
}

test('the time left is near to what it takes, and does not grow while tasks are under way', () => {
  const { shown, endMs, watched } = play(Array(20).fill(12), 3, 5_000);
  for (const { nowMs, leftMs } of shown.filter(({ leftMs }) => leftMs !== undefined))
    expect(leftMs).toBeCloseTo(endMs - nowMs, 3);
  expect(shown.findIndex(({ leftMs }) => leftMs !== undefined)).toBeLessThan(3 * 12);
  expect(watched.oldest).toBeUndefined();
});

test('those under way count, so that the time left is not that of the short ones which end first', () => {
  const calls = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? 3 : 30));
  const { shown, endMs } = play(calls, 20, 1_000);
  const told = shown.filter(({ nowMs }) => nowMs > endMs / 3 && nowMs < (2 * endMs) / 3);
  const ratio = told.reduce((sum, { leftMs, nowMs }) => sum + leftMs! / (endMs - nowMs), 0) / told.length;
  expect(ratio).toBeGreaterThan(0.75);
  expect(ratio).toBeLessThan(1.3);
});

test('it is never below zero, and nothing is left over, however many calls tasks take', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 8 }),
      (calls, atOnce) => {
        const { shown, watched } = play(calls, atOnce, 1_000);
        for (const { leftMs = 0 } of shown) expect(leftMs).toBeGreaterThanOrEqual(0);
        expect(shown.at(-1)!.leftMs).toBe(0);
        expect(watched.oldest).toBeUndefined();
      },
    ),
  );
});

test('the oldest task is told by its calls; others than of the team and second tries are told apart', () => {
  const watched = new RolloutCalls();
  watched.modelCall({ scope: scope('a', 1) }, 100);
  watched.modelCall({ scope: scope('b') }, 200);
  watched.modelCall({ scope: { ...scope('a', 1), role: 'judge' } }, 300);
  watched.modelCall({ scope: undefined }, 300);
  watched.toolCall({ work: { task_id: 'a', rollout: 1 } }, 400);
  watched.toolCall({ work: undefined }, 400);
  expect(watched.oldest).toMatchObject({ calls: 1, toolCalls: 1, sinceMs: 100 });
  // The second try of rollout 1 is rollout 3, and asks as the one that it repairs.
  watched.ended({ taskId: 'a', rollout: 3, repairs: 1, outcome: emitRecord({}) });
  expect(watched.oldest).toMatchObject({ calls: 1, toolCalls: 0, sinceMs: 200 });
});

test('what a rollout was billed is told when it ends, its tools included, and whether the cache answered some of it', () => {
  const watched = new RolloutCalls();
  const usage = { prompt_tokens: 90, completion_tokens: 10, cached_tokens: 0 };
  const call = (role: 'planner' | 'tool' | 'judge') =>
    watched.modelCall({ scope: { work: { task_id: 'a' }, role }, usage, costUsd: 0.5 }, 1);
  for (const role of ['planner', 'tool', 'judge', 'planner'] as const) call(role);
  expect(watched.used).toEqual({ costUsd: 1.5, tokens: 300 });
  const whole = emitRecord({ totals: { model_calls: 2 } });
  expect(watched.ended({ taskId: 'a', outcome: whole })).toEqual({
    ...{ use: { costUsd: 1.5, tokens: 300 }, isWhole: true },
  });
  call('planner');
  expect(watched.ended({ taskId: 'a', outcome: whole }).isWhole).toBe(false);
  expect(watched.ended({ taskId: 'b', outcome: whole })).toEqual({
    ...{ use: { costUsd: 0, tokens: 0 }, isWhole: false },
  });
});
