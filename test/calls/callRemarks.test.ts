import { expect, test } from 'vitest';
import { SessionCalls } from '../../calls/sessionCalls.ts';
import type { CallOutcome } from '../../contract/calls.ts';

function callsAnd() {
  const lines: string[] = [];
  const calls = new SessionCalls(new AbortController().signal, (line) => lines.push(line));
  const note = (outcome: CallOutcome, completion_tokens: number, model = 'm', answeredBy = model) =>
    calls.modelCall({
      ...{ scope: undefined, provider: 'p', outcome, costUsd: 0, finishReason: null, model, answeredBy },
      ...{ usage: { prompt_tokens: 9, completion_tokens, cached_tokens: 0 }, startedAt: 0, durationMs: 1 },
    });
  return { lines, note };
}

test('an answer that was cut at more than ten times the usual length is told once a model', () => {
  const { lines, note } = callsAnd();
  for (const tokens of [50, 100, 100, 100, 150]) note('ok', tokens);
  note('answer_truncated', 1_000);
  expect(lines).toEqual([]);
  note('answer_truncated', 8_000);
  note('answer_truncated', 8_000);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^m: .* 8000 tokens .* 100 on average and 150 at most: .* 300 /);
});

test('nothing is said where nobody knows what is usual, and of calls that failed otherwise', () => {
  const { lines, note } = callsAnd();
  for (const _ of [1, 2, 3, 4]) note('ok', 100);
  note('answer_truncated', 8_000);
  note('ok', 100, 'other');
  note('answer_truncated', 8_000, 'other');
  note('ok', 100);
  note('malformed_answer', 8_000);
  expect(lines).toEqual([]);
});

test('an answer of another model is told once a model, one with a vendor or a date in its name is not', () => {
  const { lines, note } = callsAnd();
  note('ok', 100, 'gpt-4o', 'gpt-4o-2024-08-06');
  note('ok', 100, 'openai/gpt-4o', 'GPT-4o');
  note('ok', 100, 'Qwen3-8B', 'Qwen/Qwen3-8B');
  expect(lines).toEqual([]);
  note('ok', 100, 'my-model', 'other\u001b[2Jmodel');
  note('ok', 100, 'my-model', 'another');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^my-model: .*"other\\u001b\[2Jmodel"/);
});
