import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import { webSearch } from '../../schemas/coa/profiles/tags.ts';
import { turnMapSchema } from '../../schemas/interchange/turnMap.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { readChat } from '../../teachers/importers/chat/readChat.ts';
import { importTraceRow } from '../../teachers/importers/createImporters.ts';
import { outputOf, reactProfile, refusalOf } from './importing.ts';

const profile = reactProfile(webSearch);
const finish = turnMapSchema.parse({
  calls: [{ form: 'fence', tool: 'web_search' }],
  result: 'turn',
  finish: ['echo DONE'],
});

/** Imports messages after a question; with a map where the run ends by a command. */
function imported(messages: readonly object[], { ends = false, onUnread = 'refuse' as const } = {}) {
  const importRow = importTraceRow({
    format: 'openai',
    profileOf: () => profile,
    profile: 'react',
    tools: new Map(),
    onUnread,
    ...(ends && { turns: finish }),
  });
  const row = { messages: [{ role: 'user', content: 'Q' }, ...messages] };
  return importRow(row as unknown as JsonValue, { file: 'a.jsonl', row: 1 });
}

const textOf = (...row: Parameters<typeof imported>) =>
  outputOf(convertTrace(imported(...row).record, profile, 's'));

const call = (id: string, query: string) => ({
  id,
  function: { name: 'web_search', arguments: JSON.stringify({ query }) },
});
const asks = (content: unknown, ...calls: object[]) => ({ role: 'assistant', content, tool_calls: calls });
const gives = (tool_call_id: string, content: unknown) => ({ role: 'tool', tool_call_id, content });
const says = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const seen = (text: string) => `<observation>\n${text}\n</observation>\n\n`;

test.each<[title: string, content: string, more: object, text: string]>([
  [
    'a thought in both field and text is one',
    '<think>t</think>A',
    { reasoning: 't' },
    '<think>t</think>\n<answer>A</answer>',
  ],
  [
    'thoughts of field and text stand in this order',
    '<think>u</think>A',
    { reasoning: 't' },
    '<think>t\n\nu</think>\n<answer>A</answer>',
  ],
  [
    'the first of several fields is read',
    'A',
    { reasoning: 't', thinking: 'u' },
    '<think>t</think>\n<answer>A</answer>',
  ],
  ['a thought whose start the template wrote', 't</think>\n\nA', {}, '<think>t</think>\n<answer>A</answer>'],
  ['two thoughts', '<think>t</think>\n<think>u</think>A', {}, '<think>t\n\nu</think>\n<answer>A</answer>'],
  [
    'words before an answer are a thought',
    'So <answer>A</answer>\n',
    {},
    '<think>So</think>\n<answer>A</answer>',
  ],
  [
    'quoted marks stay',
    'Write <think> or <answer> first.',
    {},
    '<answer>Write <think> or <answer> first.</answer>',
  ],
  ['a quoted end mark stays', 'A </think> ends it.', {}, '<answer>A </think> ends it.</answer>'],
  ['an end mark at the end stays', 'Write `</think>`.\n', {}, '<answer>Write `</think>`.</answer>'],
  ['two end marks stay', 'A.</think> B.</think> C', {}, '<answer>A.</think> B.</think> C</answer>'],
  ['of an end mark on a line of its own', 'A\n</think>\nB', {}, '<think>A</think>\n<answer>B</answer>'],
])('%s', (_, content, more, text) => {
  expect(textOf([says(content, more)])).toBe(text);
});

test('encrypted thoughts are left out and counted', () => {
  const details = { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] };
  expect(imported([says('A', details)]).remarks).toEqual(['encrypted_reasoning_left_out']);
  const redacted = [
    { type: 'redacted_thinking', data: 'x' },
    { type: 'text', text: 'A' },
  ];
  expect(imported([says(redacted)]).remarks).toEqual(['encrypted_reasoning_left_out']);
});

test('results without ids go to the call of their name, or else in order', () => {
  const other = { function: { name: 'web-search', arguments: { query: 'b' } } };
  const { record } = imported([
    asks(null, { function: { name: 'web_search', arguments: { query: 'a' } } }, other),
    { role: 'tool', name: 'web-search', content: 'of b' },
    { role: 'tool', content: 'of a' },
    says('A'),
  ]);
  const given = record.events.flatMap((event) =>
    event.type === 'tool_call' ? [`${event.input.query}: ${event.observation}`] : [],
  );
  expect(given).toEqual(['a: of a', 'b: of b']);
});

test('a call that failed by its arguments is kept or left out by convert.failed_calls', () => {
  const bad = { id: '1', function: { name: 'web_search', arguments: '{"query": "a"' } };
  const messages = [
    asks(null, bad),
    gives('1', 'error: bad JSON'),
    asks('t', call('2', 'a')),
    gives('2', 'o'),
    says('A'),
  ];
  const { record, remarks } = imported(messages);
  expect(remarks).toEqual(['failed_calls']);
  const good = `<web_search>a</web_search>\n${seen('o')}<answer>A</answer>`;
  expect(outputOf(convertTrace(record, profile, 's'))).toBe(`<think>t</think>\n${good}`);
  expect(
    outputOf(convertTrace(record, profile, 's', { thinking: 'condensed', failed_calls: 'keep' })),
  ).toContain(`<web_search>{"query": "a"</web_search>\n${seen('error: bad JSON')}`);
});

const shell = (command: string) => says(`Done.\n\n\`\`\`\n${command}\n\`\`\``);
const back = { role: 'user', content: 'diff' };
const ran = (command: string) => `<web_search>${command}</web_search>\n${seen('diff')}`;
test.each<[title: string, messages: object[], text: string, remarks?: string[]]>([
  [
    'what a tool printed, which stays its observation',
    [shell('echo DONE 42'), back],
    `${ran('echo DONE 42')}<answer>diff</answer>`,
    ['answer_printed_by_tool'],
  ],
  ['what stands behind it', [shell('echo DONE 42')], '<answer>42</answer>'],
  [
    'what was submitted, beside calls of which nothing is told',
    [
      asks('Done.', call('1', 'a'), call('2', 'echo DONE')),
      { role: 'exit', content: 'diff', extra: { exit_status: 'Submitted' } },
    ],
    `${ran('echo DONE')}<answer>diff</answer>`,
    ['answer_printed_by_tool', 'calls_without_result_left_out'],
  ],
])('the answer of a command that ends the run is %s', (_, messages, text, remarks = []) => {
  expect(textOf(messages, { ends: true })).toBe(`<think>Done.</think>\n${text}`);
  expect(imported(messages, { ends: true }).remarks).toEqual(remarks);
});

test.each<[title: string, messages: object[], code: string, path: string, ends?: boolean]>([
  [
    'a shell that goes on',
    [shell('echo DONE && git diff --cached')],
    'call_without_result',
    'messages[1].call[0]',
    true,
  ],
  [
    'a shell on the next line',
    [shell('echo DONE\ncat x')],
    'call_without_result',
    'messages[1].call[0]',
    true,
  ],
  [
    'arguments that are no JSON, and a result that is no error',
    [asks(null, { id: '1', function: { name: 'web_search', arguments: 'a' } }), gives('1', 'o'), says('A')],
    'bad_arguments',
    'messages[1].tool_calls[0].function.arguments',
  ],
  [
    'a run that gave up',
    [says('Hm'), { role: 'exit', content: 'Limit', extra: { exit_status: 'LimitsExceeded' } }],
    'failed_run',
    'messages[2]',
  ],
  ['an empty submission', [says('Hm'), { role: 'exit', content: '' }], 'failed_run', 'messages[2]'],
  [
    'a picture as a result',
    [asks(null, call('1', 'a')), gives('1', [{ type: 'image_url', image_url: {} }]), says('A')],
    'unread_part',
    'messages[2].content[0]',
  ],
  [
    'a part of a type that nobody knows',
    [says([{ type: 'hologram' }])],
    'unread_part',
    'messages[1].content[0]',
  ],
  ['a text part without text', [says([{ type: 'text' }])], 'unread_part', 'messages[1].content[0]'],
  ['a refusal', [says([{ type: 'refusal', refusal: 'No.' }])], 'model_refused', 'messages[1].content'],
  [
    'words of a user beside a result',
    [
      asks(null, call('1', 'a')),
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: '1', content: 'o' },
          { type: 'text', text: 'Go on' },
        ],
      },
    ],
    'second_user_message',
    'messages[2]',
  ],
  ...['', ' '].map((content): [string, object[], string, string, boolean] => [
    `a run that submitted ${JSON.stringify(content)}`,
    [shell('echo DONE'), { role: 'user', content }],
    'failed_run',
    'messages[1].call[0]',
    true,
  ]),
  [
    'a message that is no call',
    [{ role: 'tool_call', content: 'search' }],
    'bad_arguments',
    'messages[1].call[0]',
  ],
])('%s is refused', (_, messages, code, path, ends = false) => {
  expect(refusalOf(() => imported(messages, { ends }))).toMatchObject({ code, path });
});

test('LLaMA-Factory’s parts are read', () => {
  const call = { type: 'tool_call', value: '{"name": "web_search", "arguments": {"query": "a"}}' };
  const messages = [
    says([{ type: 'reasoning', value: 't' }, call]),
    { role: 'tool', content: [{ type: 'text', value: 'o' }] },
    says([{ type: 'text', value: 'A' }]),
  ];
  expect(textOf(messages)).toBe(
    `<think>t</think>\n<web_search>a</web_search>\n${seen('o')}<answer>A</answer>`,
  );
});

test.each(['images', 'videos', 'audios'])('a row with %s beside its messages is refused', (media) => {
  const row = { messages: [{ role: 'user', content: '<image>Who?' }, says('A')], [media]: ['1.jpg'] };
  expect(refusalOf(() => readChat(row as unknown as JsonValue, { onUnread: 'refuse' }))).toMatchObject({
    code: 'unread_part',
    path: media,
  });
  const none = { ...row, [media]: [] } as unknown as JsonValue;
  expect(readChat(none, { onUnread: 'refuse' }).remarks).toEqual([]);
});
