import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import { fixtureRows, importValue, refusalOf } from './importing.ts';

/** New values by their paths; undefined takes a field away, and a function makes another list of a list. */
type Edit = Readonly<
  Record<string, JsonValue | undefined | ((list: readonly JsonValue[]) => readonly JsonValue[])>
>;

function edited(row: JsonValue, edit: Edit): JsonValue {
  const copy = structuredClone(row);
  for (const [path, value] of Object.entries(edit)) {
    const keys = path.match(/[^.[\]]+/g)!;
    const last = keys.pop()!;
    const parent = keys.reduce((node, key) => (node as Record<string, JsonValue>)[key]!, copy) as Record<
      string,
      JsonValue
    >;
    if (value === undefined) delete parent[last];
    else parent[last] = typeof value === 'function' ? [...value(parent[last] as JsonValue[])] : value;
  }
  return copy;
}

const without =
  (at: number): Edit[string] =>
  (list) =>
    list.toSpliced(at, 1);
/** The list with a copy of one of its elements elsewhere. */
const repeated =
  (from: number, to: number): Edit[string] =>
  (list) =>
    list.toSpliced(to, 0, list[from]!);

type Case = readonly [title: string, edit: Edit, code: string, path: string];

const atif: readonly Case[] = [
  ['unknown key of the document', { speed: 1 }, 'unknown_key', 'speed'],
  ['gap in step ids', { 'steps[5].step_id': 9 }, 'broken_rule', 'steps[5].step_id'],
  [
    'call without result',
    { 'steps[4].observation.results': [] },
    'call_without_result',
    'steps[4].tool_calls[0]',
  ],
  [
    'result of another step',
    { 'steps[4].observation.results[0].source_call_id': 'c2' },
    'broken_rule',
    'steps[4].observation.results[0].source_call_id',
  ],
  [
    'result without call',
    { 'steps[4].observation.results[0].source_call_id': undefined },
    'result_without_call',
    'steps[4].observation.results[0]',
  ],
  ['reasoning of a user', { 'steps[1].reasoning_content': 'x' }, 'broken_rule', 'steps[1].reasoning_content'],
  ['no model, but metrics', { 'steps[3].llm_call_count': 0 }, 'broken_rule', 'steps[3].metrics'],
  ['later version', { schema_version: 'ATIF-v1.8' }, 'invalid_value', 'schema_version'],
  [
    'sub-agent without id',
    { 'subagent_trajectories[0].trajectory_id': undefined },
    'broken_rule',
    'subagent_trajectories[0].trajectory_id',
  ],
  ['second user message', { 'steps[0].source': 'user' }, 'second_user_message', 'steps[1]'],
  [
    'unmapped tool',
    { 'steps[4].tool_calls[0].function_name': 'drill' },
    'unmapped_tool',
    'steps[4].tool_calls[0].name',
  ],
  [
    'arguments that ask nothing',
    { 'steps[4].tool_calls[0].arguments': { a: 'x', b: 'y' } },
    'unknown_arguments',
    'steps[4].tool_calls[0].arguments',
  ],
  [
    'message of nobody',
    { 'steps[5].tool_calls': null, 'steps[5].observation': null, 'steps[5].message': 'Hm.' },
    'unnamed_message',
    'steps[5]',
  ],
  ['tags that nest', { 'steps[3].message': '<plan>a <think>b</think></plan>' }, 'nested_tag', 'steps[3]'],
];

const adp: readonly Case[] = [
  ['unknown key', { 'content[2].speed': 1 }, 'unknown_key', 'content[2].speed'],
  ['unknown class', { 'content[2].class_': 'move' }, 'invalid_union', 'content[2].class_'],
  ['call without result', { content: without(3) }, 'call_without_result', 'content[2]'],
  ['result without call', { content: without(2) }, 'result_without_call', 'content[2]'],
  ['later version', { schema_version: '9.0.0' }, 'invalid_value', 'schema_version'],
  ['second question', { content: repeated(0, 1) }, 'second_user_message', 'content[1]'],
];

const openai: readonly Case[] = [
  ['no messages', { messages: undefined }, 'no_messages', ''],
  ['unknown role', { 'messages[1].role': 'guest' }, 'invalid_value', 'messages[1].role'],
  [
    'arguments that are not JSON',
    { 'messages[3].tool_calls[0].function.arguments': '{' },
    'bad_arguments',
    'messages[3].tool_calls[0].function.arguments',
  ],
  ['call without result', { messages: without(4) }, 'call_without_result', 'messages[3].tool_calls[0]'],
  [
    'result without call',
    { 'messages[4].tool_call_id': 'other' },
    'result_without_call',
    'messages[4].tool_call_id',
  ],
  [
    'result before its call',
    { messages: (list) => list.with(3, list[4]!).with(4, list[3]!) },
    'result_without_call',
    'messages[3].tool_call_id',
  ],
  ['second result', { messages: repeated(4, 5) }, 'second_result', 'messages[5].tool_call_id'],
  ['second call of one id', { messages: repeated(3, 5) }, 'call_without_result', 'messages[5].tool_calls[0]'],
  ['refusal', { 'messages[7].refusal': 'No.' }, 'model_refused', 'messages[7].refusal'],
  ['second question', { 'messages[0].role': 'user' }, 'second_user_message', 'messages[1]'],
  ['no question', { messages: without(1) }, 'no_question', ''],
];

describe.each([
  ['atif', 'mhqa.atif.json', atif, {}],
  ['adp', 'two.adp.jsonl', adp, {}],
  ['openai', 'one.openai.jsonl', openai, { map: { lookup: 'wiki_search' } }],
] as const)('a row of %s is refused with the path of the field', (format, file, cases, as) => {
  test.each(cases)('%s', async (_, edit, code, path) => {
    const [row] = await fixtureRows(file);
    const read = () => importValue(format, edited(row!, edit), { profile: 'mhqa', ...as });
    expect(refusalOf(read)).toMatchObject({ code, path });
  });
});

test('without a profile', async () => {
  const [document] = await fixtureRows('mhqa.atif.json');
  expect(refusalOf(() => importValue('atif', document!))).toMatchObject({ code: 'no_profile' });
});
