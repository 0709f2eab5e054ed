import { expect, test } from 'vitest';
import { RolloutCalls } from '../../cli/progress/rolloutCalls.ts';
import { emitRecord } from '../../contract/stage.ts';

const scope = (task_id: string, rollout?: number) => ({
  work: { task_id, ...(rollout !== undefined && { rollout }) },
  role: 'planner' as const,
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
