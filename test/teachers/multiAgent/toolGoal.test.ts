import { expect, test } from 'vitest';
import type { Tool } from '../../../contract/tool.ts';
import { randomModel } from '../support/randomModel.ts';
import { allTools, taskOf, teamOf, traceOf } from '../support/team.ts';
import { neverAborted } from '../support/tinyModel.ts';

test('a tool is told whose call it is, the question, and what was thought right before it', async () => {
  const told: Parameters<Tool['call']>[] = [];
  const noted = (tool: Tool): Tool => ({
    ...tool,
    call: (...asked) => {
      told.push(asked);
      return tool.call(...asked);
    },
  });
  const tools = new Map([...allTools].map(([name, tool]) => [name, noted(tool)]));
  const task = taskOf('mhqa');
  const outcome = await teamOf(randomModel(4, 'native', 0), { tools }).solve(task, { signal: neverAborted });
  const { events } = traceOf(outcome);
  const thoughts = events.flatMap((event, index) => {
    if (event.type !== 'tool_call') return [];
    const chosen = events
      .slice(0, index)
      .findLast((before) => before.type === 'agent_call' && before.role === 'orchestrator');
    return [chosen?.type === 'agent_call' ? chosen.answer?.think : undefined];
  });
  expect(thoughts.length).toBeGreaterThan(0);
  expect(told.map(([, , work, goal]) => [work?.task_id, goal])).toEqual(
    thoughts.map((thinking) => [task.id, { question: task.question, thinking }]),
  );
});
