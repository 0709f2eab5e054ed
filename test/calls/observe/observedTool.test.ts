import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { createObservedTool } from '../../../calls/observedCalls.ts';
import type { RunCalls, ToolCall } from '../../../contract/calls.ts';
import { RecordFailure, RunHalted } from '../../../contract/errors.ts';
import type { Tool, ToolGoal } from '../../../contract/tool.ts';
import { stillClock } from '../../teachers/support/clocks.ts';

function observed(call: Tool['call'], drain = new AbortController().signal) {
  const seen: ToolCall[] = [];
  const calls = { drain, toolCall: (ended: ToolCall) => void seen.push(ended) } as unknown as RunCalls;
  const definition = { name: 'look_up', description: 'd', parameters: {} };
  const parseInput = (input: unknown) => ({ ok: true as const, input: input as JsonObject });
  const tool: Tool = { name: 'look_up', definition, dependsOnGoal: true, parseInput, call };
  return { tool: createObservedTool(tool, calls, stillClock()), seen };
}

const never = new AbortController().signal;
const work = { task_id: 'task_1' };

test('a call is handed on whole, and told when it has ended', async () => {
  const goal: ToolGoal = { question: 'Who?', thinking: 'The mayor.' };
  const { tool, seen } = observed(async (...given) => ({
    observation: JSON.stringify(given.slice(2)),
    raw: 1,
  }));
  const result = await tool.call({}, never, work, goal);
  expect(result).toEqual({ observation: JSON.stringify([work, goal]), raw: 1 });
  expect(tool.dependsOnGoal).toBe(true);
  expect(seen).toEqual([
    { work, tool: 'look_up', outcome: 'ok', startedAt: expect.any(Number), durationMs: 0 },
  ]);
});

const stopped = new AbortController();
stopped.abort(new Error('stopped'));
test.each([
  ['the service failed', new RecordFailure('tool_unavailable', 'down'), never, 'tool_unavailable'],
  ['a fault of the tool', new TypeError('a fault of ours'), never, 'internal'],
  ['the run comes to a halt', new RunHalted('enough'), never, 'given_up'],
  ['the work was stopped', stopped.signal.reason, stopped.signal, 'given_up'],
])('%s', async (_title, error, signal, outcome) => {
  const { tool, seen } = observed(() => Promise.reject(error));
  await expect(tool.call({}, signal, work)).rejects.toBe(error);
  expect(seen.map((call) => call.outcome)).toEqual([outcome]);
});

test('no call begins once the run drains', async () => {
  const halted = new RunHalted('enough');
  const { tool, seen } = observed(async () => ({ observation: 'x', raw: 1 }), AbortSignal.abort(halted));
  await expect(tool.call({}, never, work)).rejects.toBe(halted);
  expect(seen).toEqual([]);
});
