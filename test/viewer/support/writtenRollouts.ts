import { taskOf, trajectoryOf, writtenRun } from './writtenRun.ts';

/** Writes a run of two tasks of four rollouts each, of which two and one are right. */
export function writeRollouts(run: string): void {
  const { emit, end } = writtenRun(run);
  for (const id of ['a', 'b']) {
    const source = { file: `tasks_of_${id}.jsonl`, row: 1 };
    emit('tasks', id, [{ ...taskOf(id, `question of ${id}`), source }]);
  }
  for (const [id, right] of [
    ['a', 2],
    ['b', 1],
  ] as const)
    for (let rollout = 0; rollout < 4; rollout++) {
      const judged = trajectoryOf(id, 'looked', rollout < right ? 'correct' : 'incorrect', rollout);
      const text = `<answer>answer ${id}${rollout}</answer>`;
      emit('rollout', id, [traceOf(id, rollout)]);
      judged.segments.push({ tag: 'answer', origin: 'model', text, event: 'e3' });
      for (const stage of ['convert', 'judge'] as const) emit(stage, id, [judged]);
      const at = { task_id: id, ...(rollout > 0 && { rollout }) };
      if (rollout >= right) end('filter', { kind: 'drop', ...at, reason: 'wrong_answer', evidence: {} });
      else
        emit('export', id, [
          { ...at, id: 'x', split: 'train', row: 0, tokens: 900 - rollout, trained_tokens: 9 },
        ]);
    }
}

const markdown =
  '# Plan\n\n- **first** `look`\n- <img src=x onerror="globalThis.hacked = 1">\n\n```\ncode\n```\n[a](javascript:alert(1))';

/** A planner that writes Markdown and is asked again, and a tool whose answer is JSON. */
function traceOf(task_id: string, rollout: number): object {
  const call = {
    type: 'agent_call',
    id: 'e1',
    parent: null,
    started_at: '2026-11-22T00:00:00.000Z',
    duration_ms: 3_000,
    failure: null,
    role: 'planner',
    action: 'plan',
    model: 'm',
    request_hash: 'r',
    messages: ['m1'],
    answer: null,
    content: markdown,
    reasoning: null,
    tool_calls: [],
    finish_reason: 'stop',
    response_format: 'text',
    usage: { prompt_tokens: 1_000, completion_tokens: 200, cached_tokens: 512 },
    cost_usd: 0.25,
    retries: { times: 2, ms: 1_500 },
    malformed: [{ content: 'no JSON', error: 'expected JSON' }],
  };
  const tool = {
    type: 'tool_call',
    id: 'e2',
    parent: 'e1',
    started_at: '2026-11-22T00:00:03.000Z',
    duration_ms: 1_000,
    failure: null,
    tool: 'web_search',
    input: { query: 'castle' },
    observation: '{"found": [{"title": "Old <b>town</b>"}]}',
    raw: { status: 200 },
    cached: true,
  };
  const sums = { prompt_tokens: 1_000, completion_tokens: 200, cached_tokens: 512, cost_usd: 0.25 };
  return {
    id: `trace_${task_id}_${rollout}`,
    task_id,
    ...(rollout > 0 && { rollout }),
    task: taskOf(task_id, `question of ${task_id}`),
    profile: 'web',
    teacher: 'multi_agent',
    final_answer: `answer ${task_id}${rollout}`,
    events: [call, tool],
    messages: { m1: { role: 'user', content: 'the whole prompt' } },
    totals: { model_calls: 2, tool_calls: 1, ...sums, duration_ms: 4_000 },
  };
}
