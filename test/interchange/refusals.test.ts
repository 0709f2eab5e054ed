import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import { fixtureRows, importValue, refusalOf } from './importing.ts';

// biome-ignore lint/suspicious/noExplicitAny: a fixture is spoilt in places of every type
type Spoil = (row: any) => void;

async function spoilt(file: string, spoil: Spoil): Promise<JsonValue> {
  const [row] = await fixtureRows(file);
  const copy = structuredClone(row!);
  spoil(copy);
  return copy;
}

describe('an ATIF document is refused with the path of the field', () => {
  const cases: readonly [title: string, spoil: Spoil, code: string, path: string][] = [
    ['unknown key of the document', (d) => (d.speed = 1), 'unknown_key', 'speed'],
    ['gap in step ids', (d) => (d.steps[5].step_id = 9), 'broken_rule', 'steps[5].step_id'],
    [
      'call without result',
      (d) => (d.steps[4].observation.results = []),
      'call_without_result',
      'steps[4].tool_calls[0]',
    ],
    [
      'result of another step',
      (d) => (d.steps[4].observation.results[0].source_call_id = 'c2'),
      'broken_rule',
      'steps[4].observation.results[0].source_call_id',
    ],
    [
      'result without call',
      (d) => delete d.steps[4].observation.results[0].source_call_id,
      'result_without_call',
      'steps[4].observation.results[0]',
    ],
    [
      'reasoning of a user',
      (d) => (d.steps[1].reasoning_content = 'x'),
      'broken_rule',
      'steps[1].reasoning_content',
    ],
    ['no model, but metrics', (d) => (d.steps[3].llm_call_count = 0), 'broken_rule', 'steps[3].metrics'],
    ['later version', (d) => (d.schema_version = 'ATIF-v1.8'), 'invalid_value', 'schema_version'],
    [
      'sub-agent without id',
      (d) => delete d.subagent_trajectories[0].trajectory_id,
      'broken_rule',
      'subagent_trajectories[0].trajectory_id',
    ],
    [
      'second user message',
      (d) => Object.assign(d.steps[0], { source: 'user' }),
      'second_user_message',
      'steps[1]',
    ],
    [
      'unmapped tool',
      (d) => (d.steps[4].tool_calls[0].function_name = 'drill'),
      'unmapped_tool',
      'steps[4].tool_calls[0].name',
    ],
    [
      'arguments that ask nothing',
      (d) => (d.steps[4].tool_calls[0].arguments = { a: 'x', b: 'y' }),
      'unknown_arguments',
      'steps[4].tool_calls[0].arguments',
    ],
    [
      'message of nobody',
      (d) => Object.assign(d.steps[5], { tool_calls: null, observation: null, message: 'Hm.' }),
      'unnamed_message',
      'steps[5]',
    ],
    [
      'tags that nest',
      (d) => (d.steps[3].message = '<plan>a <think>b</think></plan>'),
      'nested_tag',
      'steps[3]',
    ],
  ];
  test.each(cases)('%s', async (_, spoil, code, path) => {
    const document = await spoilt('mhqa.atif.json', spoil);
    expect(refusalOf(() => importValue('atif', document, { profile: 'mhqa' }))).toMatchObject({ code, path });
  });

  test('no profile', async () => {
    const [document] = await fixtureRows('mhqa.atif.json');
    expect(refusalOf(() => importValue('atif', document!))).toMatchObject({ code: 'no_profile' });
  });
});

describe('an ADP trajectory is refused with the path of the field', () => {
  const cases: readonly [title: string, spoil: Spoil, code: string, path: string][] = [
    ['unknown key', (d) => (d.content[2].speed = 1), 'unknown_key', 'content[2].speed'],
    ['unknown class', (d) => (d.content[2].class_ = 'move'), 'invalid_union', 'content[2].class_'],
    ['call without result', (d) => d.content.splice(3, 1), 'call_without_result', 'content[2]'],
    ['result without call', (d) => d.content.splice(2, 1), 'result_without_call', 'content[2]'],
    ['later version', (d) => (d.schema_version = '9.0.0'), 'invalid_value', 'schema_version'],
    ['second question', (d) => d.content.splice(1, 0, d.content[0]), 'second_user_message', 'content[1]'],
  ];
  test.each(cases)('%s', async (_, spoil, code, path) => {
    const row = await spoilt('two.adp.jsonl', spoil);
    expect(refusalOf(() => importValue('adp', row, { profile: 'mhqa' }))).toMatchObject({ code, path });
  });
});

describe('an OpenAI conversation is refused with the path of the field', () => {
  const cases: readonly [title: string, spoil: Spoil, code: string, path: string][] = [
    ['no messages', (d) => delete d.messages, 'invalid_type', 'messages'],
    ['unknown role', (d) => (d.messages[1].role = 'guest'), 'invalid_value', 'messages[1].role'],
    [
      'arguments that are no JSON',
      (d) => (d.messages[3].tool_calls[0].function.arguments = '{'),
      'bad_arguments',
      'messages[3].tool_calls[0].function.arguments',
    ],
    [
      'call without result',
      (d) => d.messages.splice(4, 1),
      'call_without_result',
      'messages[3].tool_calls[0]',
    ],
    [
      'result without call',
      (d) => (d.messages[4].tool_call_id = 'other'),
      'result_without_call',
      'messages[4].tool_call_id',
    ],
    [
      'result before its call',
      (d) => d.messages.splice(3, 2, d.messages[4], d.messages[3]),
      'result_without_call',
      'messages[3].tool_call_id',
    ],
    [
      'second result',
      (d) => d.messages.splice(5, 0, d.messages[4]),
      'second_result',
      'messages[5].tool_call_id',
    ],
    [
      'second call of one id',
      (d) => d.messages.splice(5, 0, d.messages[3]),
      'call_without_result',
      'messages[5].tool_calls[0]',
    ],
    ['refusal', (d) => (d.messages[7].refusal = 'No.'), 'model_refused', 'messages[7].refusal'],
    ['second question', (d) => (d.messages[0].role = 'user'), 'second_user_message', 'messages[1]'],
    ['no question', (d) => d.messages.splice(1, 1), 'no_question', ''],
  ];
  test.each(cases)('%s', async (_, spoil, code, path) => {
    const row = await spoilt('one.openai.jsonl', spoil);
    const as = { profile: 'mhqa', map: { lookup: 'wiki_search' } };
    expect(refusalOf(() => importValue('openai', row, as))).toMatchObject({ code, path });
  });
});

test("the faults of OAgents' own logs are said, one by one", async () => {
  const [, ...rows] = await fixtureRows('quirks.oagents.jsonl');
  const refusals = rows.map((row) => refusalOf(() => importValue('oagents', row, { profile: 'mhqa' })));
  const second = 'search_agent_actions["Where does the Teln end?"].tool_calls';
  expect(refusals).toEqual([
    {
      reason: 'ambiguous_row',
      code: 'repeated_subtask',
      path: 'intermediate_steps[3].tool_calls[0].function.arguments',
    },
    { reason: 'ambiguous_row', code: 'leaked_calls', path: second },
    { reason: 'ambiguous_row', code: 'leaked_calls', path: second },
    {
      reason: 'ambiguous_row',
      code: 'subtask_not_found',
      path: 'intermediate_steps[3].tool_calls[0].function.arguments',
    },
    {
      reason: 'ambiguous_row',
      code: 'subtask_not_called',
      path: 'search_agent_actions["Who lives in Harbury?"]',
    },
    { reason: 'unsupported_row', code: 'failed_run', path: 'agent_error' },
  ]);
});
