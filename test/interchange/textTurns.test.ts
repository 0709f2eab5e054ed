import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import { exportTrace } from '../../output/interchange/renderExport.ts';
import { unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { webSearch } from '../../schemas/coa/profiles/tags.ts';
import { turnMapPresets } from '../../schemas/interchange/turnMap.ts';
import type { Trace } from '../../schemas/trace.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { turnPieces } from '../../teachers/importers/chat/turnPieces.ts';
import { importTraceRow } from '../../teachers/importers/createImporters.ts';
import { RowRefusal } from '../../teachers/importers/rowRefusal.ts';
import { fixtureRows, outputOf, reactProfile, refusalOf } from './importing.ts';

/** The preset of ADP is for rows of that format. */
type Preset = Exclude<keyof typeof turnMapPresets, 'adp'>;

const react = reactProfile(webSearch);
const tools = new Map([
  ['bash', 'web_search'],
  ['find_file', 'web_search'],
  ['open', 'web_search'],
  ['edit', 'web_search'],
  ['submit', 'web_search'],
  ['python', 'web_search'],
]);

function imported(row: JsonValue, preset?: Preset): Trace {
  const turns = preset && turnMapPresets[preset];
  const importRow = importTraceRow({
    format: 'openai',
    profileOf: () => react,
    profile: 'react',
    tools,
    onUnread: 'refuse',
    ...(turns && { turns }),
  });
  return importRow(row, { file: 'test.jsonl', row: 1 }).record;
}

interface Step {
  readonly thought: string;
  readonly query: string;
  readonly output: string;
}
interface Run {
  readonly question: string;
  readonly steps: readonly Step[];
  readonly answer: string;
}
type Message = { readonly role: string; readonly content: string };

const call = ({ query }: Step) =>
  `<tool_call>\n${JSON.stringify({ name: 'search', arguments: { query } })}\n</tool_call>`;
const tagged = ({ steps, answer }: Run): Message[] => [
  ...steps.flatMap((step) => [
    { role: 'assistant', content: `<think>\n${step.thought}\n</think>\n${call(step)}` },
    { role: 'user', content: `<tool_response>\n${step.output}\n</tool_response>` },
  ]),
  { role: 'assistant', content: `<think>Enough.</think>\n<answer>${answer}</answer>` },
];

/** Messages as each kind of agent writes a run, where it calls tools in its text. */
const written: Record<Preset, (run: Run) => Message[]> = {
  webdancer: (run) => [
    { role: 'system', content: 'You are a Web Information Seeking Master.' },
    { role: 'user', content: `A conversation between User and Assistant.\n\nUser: ${run.question}` },
    ...tagged(run),
  ],
  search_r1: ({ question, steps, answer }) => [
    { role: 'user', content: `Answer the given question. Question: ${question}\n` },
    ...steps.flatMap(({ thought, query, output }) => [
      { role: 'assistant', content: `<think>${thought}</think>\n<search>${query}</search>` },
      { role: 'user', content: `<information>${output}</information>` },
    ]),
    { role: 'assistant', content: `<think>Enough.</think><answer>${answer}</answer>` },
  ],
  swe_agent: ({ question, steps, answer }) => [
    { role: 'user', content: 'Here is a demonstration.\n```\nls\n```' },
    { role: 'user', content: question },
    ...steps.flatMap(({ thought, query, output }) => [
      { role: 'assistant', content: `${thought}\n\`\`\`\n${query}\n\`\`\`` },
      { role: 'user', content: output },
    ]),
    { role: 'assistant', content: `Enough.\n\`\`\`\nsubmit ${answer}\n\`\`\`` },
  ],
  tora: ({ question, steps, answer }) => [
    { role: 'user', content: question },
    ...steps.flatMap(({ thought, query, output }) => [
      { role: 'assistant', content: `${thought}\n\`\`\`python\n${query}\n\`\`\`` },
      { role: 'user', content: `\`\`\`output\n${output}\n\`\`\`` },
    ]),
    { role: 'assistant', content: `<think>Enough.</think>${answer}` },
  ],
  miroverse: ({ question, steps, answer }) => [
    { role: 'system', content: 'You have tools.' },
    { role: 'user', content: question },
    ...steps.flatMap(({ thought, query, output }) => [
      {
        role: 'assistant',
        content: `<think>\n${thought}\n</think>\n\n<use_mcp_tool>\n<server_name>web</server_name>\n<tool_name>search</tool_name>\n<arguments>\n${JSON.stringify({ q: query })}\n</arguments>\n</use_mcp_tool>`,
      },
      { role: 'user', content: output },
    ]),
    { role: 'assistant', content: `<think>Enough.</think>\n\n${answer}` },
  ],
  swe_smith: ({ question, steps, answer }) => [
    { role: 'user', content: question },
    ...steps.flatMap(({ thought, query, output }) => [
      {
        role: 'assistant',
        content: `${thought}\n\n<function=bash>\n<parameter=command>${query}</parameter>\n</function>`,
      },
      { role: 'user', content: `OBSERVATION:\n${output}` },
    ]),
    { role: 'assistant', content: `<think>Enough.</think>${answer}` },
  ],
  qwen3_coder: ({ question, steps, answer }) => [
    { role: 'user', content: question },
    ...steps.flatMap(({ thought, query, output }) => [
      {
        role: 'assistant',
        content: `<think>${thought}</think><tool_call>\n<function=search>\n<parameter=query>\n${query}\n</parameter>\n</function>\n</tool_call>`,
      },
      { role: 'user', content: `<tool_response>\n${output}\n</tool_response>` },
    ]),
    { role: 'assistant', content: `<think>Enough.</think>${answer}` },
  ],
  qwen_tool_call: (run) => [{ role: 'user', content: run.question }, ...tagged(run)],
};
const presets = Object.keys(written) as Preset[];

const argumentsOf = ({ query }: Step) => ({ query, num_results: 3 });
/** Messages of a run as data sets and gateways write them, where calls and results are fields or parts. */
const asFields: Record<string, (run: Run) => object[]> = {
  'calls with ids': ({ question, steps, answer }) => [
    { role: 'developer', content: 'Search.' },
    { role: 'user', content: question },
    ...steps.flatMap((step, at) => [
      {
        role: 'assistant',
        content: null,
        reasoning_content: step.thought,
        tool_calls: [
          { id: `c${at}`, function: { name: 'search', arguments: JSON.stringify(argumentsOf(step)) } },
        ],
      },
      { role: 'tool', tool_call_id: `c${at}`, content: step.output },
    ]),
    { role: 'assistant', content: `<think>Enough.</think>\n\n${answer}` },
  ],
  'calls without ids': ({ question, steps, answer }) => [
    { role: 'user', content: question },
    ...steps.flatMap((step) => [
      {
        role: 'assistant',
        content: `<think>\n${step.thought}\n</think>\n\n`,
        tool_calls: [{ function: { name: 'search', arguments: argumentsOf(step) } }],
      },
      { role: 'tool', name: 'search', content: step.output },
    ]),
    { role: 'assistant', content: `Enough.\n\n<answer>${answer}</answer>` },
  ],
  'function calls': ({ question, steps, answer }) => [
    { role: 'user', content: question },
    ...steps.flatMap((step) => [
      {
        role: 'assistant',
        content: step.thought,
        function_call: { name: 'search', arguments: JSON.stringify(JSON.stringify(argumentsOf(step))) },
      },
      { role: 'function', name: 'search', content: step.output },
    ]),
    { role: 'assistant', content: answer, reasoning: 'Enough.' },
  ],
  Anthropic: ({ question, steps, answer }) => [
    { role: 'user', content: [{ type: 'text', text: question }] },
    ...steps.flatMap((step, at) => [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: step.thought, signature: 'x' },
          { type: 'tool_use', id: `t${at}`, name: 'search', input: argumentsOf(step) },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `t${at}`, content: [{ type: 'text', text: step.output }] },
        ],
      },
    ]),
    { role: 'assistant', thinking: 'Enough.', content: [{ type: 'text', text: answer }] },
  ],
  ShareGPT: ({ question, steps, answer }) => [
    { from: 'system', value: 'Search.' },
    { from: 'human', value: question },
    ...steps.flatMap((step) => [
      { from: 'gpt', value: step.thought },
      { from: 'function_call', value: JSON.stringify({ name: 'search', arguments: argumentsOf(step) }) },
      { from: 'observation', value: step.output },
    ]),
    { from: 'gpt', value: `Enough.</think>${answer}` },
  ],
  'ms-swift': ({ question, steps, answer }) => [
    { role: 'user', content: question },
    ...steps.flatMap((step) => [
      { role: 'assistant', content: '', reasoning_details: [{ type: 'reasoning.text', text: step.thought }] },
      { role: 'tool_call', content: JSON.stringify([{ name: 'search', arguments: argumentsOf(step) }]) },
      { role: 'tool_response', content: step.output },
    ]),
    {
      role: 'assistant',
      content: answer,
      reasoning_details: [{ type: 'reasoning.summary', summary: 'Enough.' }],
    },
  ],
};
/** Every form: how a run is written, and the map that reads it. */
const forms: [form: string, write: (run: Run) => object[], preset?: Preset][] = [
  ...presets.map((preset): (typeof forms)[number] => [preset, written[preset], preset]),
  ...Object.entries(asFields),
  ...presets.map((preset): (typeof forms)[number] => [`fields under ${preset}`, asFields.Anthropic!, preset]),
];

const words = fc
  .array(fc.constantFrom('Teln', 'river', 'of', 'Norland', '42', 'ends', '?'), { minLength: 1, maxLength: 6 })
  .map((each) => each.join(' '));
const pieces = [
  '<think>',
  '</think>',
  '<tool_call>',
  '{"name": "search"}',
  '</tool_call>',
  '<tool_response>',
  '</tool_response>',
  '<answer>',
  '</answer>',
  '<search>',
  '</search>',
  '<information>',
  '</information>',
  '<observation>',
  '</observation>',
  '\nThought:',
  '\nAction: search',
  '\nAction Input: x',
  '\nObservation:',
  '\nFinal Answer: 1',
  '```',
  '\n```\n',
  'submit',
  '<command>',
  '</command>',
  '<|im_end|>',
  '\n',
  ' ',
  'page',
];
/** What a tool gave: full of what an agent would write, and marked. */
const hostile = fc
  .array(fc.constantFrom(...pieces), { maxLength: 12 })
  .map((each) => `FROM_TOOL ${each.join('')} FROM_TOOL`);
const runs: fc.Arbitrary<Run> = fc.record({
  question: words,
  steps: fc.array(fc.record({ thought: words, query: words, output: hostile }), { maxLength: 5 }),
  answer: words,
});

describe.each(forms)('a run as %s', (_form, write, preset) => {
  test('is read to the word, and what a tool gave is the environment’s', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const trace = imported({ messages: write(run) as JsonValue[] }, preset);
        expect(trace.task.question).toBe(run.question);
        expect(trace.final_answer).toBe(run.answer);
        const called = trace.events.filter((event) => event.type === 'tool_call');
        expect(called.map(({ input, observation: output }) => ({ query: input.query, output }))).toEqual(
          run.steps.map(({ query, output }) => ({ query, output })),
        );
        const trajectory = convertTrace(trace, react, 'system');
        for (const { origin, text } of trajectory.segments)
          expect(text.includes('FROM_TOOL')).toBe(origin === 'environment');
        const seen = trajectory.segments.filter(({ origin }) => origin === 'environment');
        expect(
          seen.map(({ text }) => unescapeStructure(text.slice(14, -17), structuralTagsOf(react))),
        ).toEqual(run.steps.map(({ output }) => output));
        const thoughts = trajectory.segments.filter(({ tag }) => tag === 'think');
        expect(thoughts.map(({ text }) => text)).toEqual(
          [...run.steps.map(({ thought }) => thought), 'Enough.'].map((text) => `<think>${text}</think>\n`),
        );
      }),
      { numRuns: 100 },
    );
  });

  test('keeps every text when it is exported and imported again', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const trace = imported({ messages: write(run) as JsonValue[] }, preset);
        for (const format of ['openai', 'atif', 'adp'] as const) {
          const exported = JSON.parse(
            JSON.stringify(exportTrace(trace, react, format, '1.0.0')),
          ) as JsonValue;
          const texts = JSON.stringify(exported);
          for (const text of [run.question, run.answer, ...run.steps.flatMap((step) => Object.values(step))])
            expect(texts).toContain(JSON.stringify(text).slice(1, -1));
          if (format !== 'openai') continue;
          const again = convertTrace(imported(exported, preset), react, 'system');
          expect(outputOf(again)).toBe(outputOf(convertTrace(trace, react, 'system')));
        }
      }),
      { numRuns: 30 },
    );
  });
});

test('several calls of a turn take the results of one turn, or of several, in order', () => {
  const step = (query: string) => ({ thought: '', query, output: '' });
  const asked = { role: 'assistant', content: ['a', 'b'].map((query) => call(step(query))).join('\n') };
  const response = (text: string) => `<tool_response>\n${text}\n</tool_response>`;
  const given = (...contents: string[]) => ({
    messages: [
      { role: 'user', content: 'Q' },
      asked,
      ...contents.map((content) => ({ role: 'user', content })),
      { role: 'assistant', content: 'A' },
    ],
  });
  const outputs = (row: JsonValue) =>
    imported(row, 'qwen_tool_call').events.flatMap((event) =>
      event.type === 'tool_call' ? [event.observation] : [],
    );
  expect(outputs(given(`${response('1</tool_response>')}\n${response('2')}`))).toEqual([
    '1</tool_response>',
    '2',
  ]);
  expect(outputs(given(response('1'), response('2')))).toEqual(['1', '2']);
  const three = given([1, 2, 3].map((n) => response(String(n))).join('\n'));
  expect(refusalOf(() => outputs(three))).toMatchObject({
    reason: 'ambiguous_row',
    code: 'more_results_than_calls',
    path: 'messages[2]',
  });
  expect(refusalOf(() => outputs(given(response('1'))))).toMatchObject({
    code: 'call_without_result',
    path: 'messages[1].call[1]',
  });
});

test('a whole run of Search-R1 in one turn is taken apart', () => {
  const content =
    '<think>a</think>\n<search> Teln </search>\n\n<information>Doc 1(Title: "Teln") FROM_TOOL</information>\n\n<think>b</think><search>end</search><information></information><answer> Norland </answer>';
  const row = (text: string) => ({
    messages: [
      { role: 'user', content: 'Question: Where?' },
      { role: 'assistant', content: text },
    ],
  });
  const { segments } = convertTrace(imported(row(content), 'search_r1'), react, 's');
  expect(segments.map(({ tag, origin }) => `${tag} ${origin}`).join(', ')).toBe(
    'think model, web_search model, observation environment, think model, web_search model, observation environment, answer model',
  );
  for (const spoilt of [
    content.replace('FROM_TOOL', 'x</information> FROM_TOOL'),
    content.replace('FROM_TOOL', '</information><information>FROM_TOOL'),
  ])
    expect(refusalOf(() => imported(row(spoilt), 'search_r1')).path).toBe('messages[1]');
});

test.each<[string, Preset, string, object]>([
  [
    'a list of queries',
    'webdancer',
    '<tool_call>{"name": "search", "arguments": {"query": ["a", "b"]}}</tool_call>',
    { query: 'a | b' },
  ],
  [
    'a program behind its object',
    'webdancer',
    '<tool_call>\n{"name": "search", "arguments": {}}\n<code>\nprint(1)\n</code>\n</tool_call>',
    { query: 'print(1)' },
  ],
  [
    'arguments as text',
    'qwen_tool_call',
    '<tool_call>{"name": "search", "arguments": "{\\"q\\": \\"a\\"}"}</tool_call>',
    { query: 'a' },
  ],
  [
    'a thought begun by the template',
    'qwen_tool_call',
    'I think.</think><tool_call>{"name": "search", "arguments": {"q": "a"}}</tool_call>',
    { query: 'a' },
  ],
  ['the last fence', 'swe_agent', 'Not\n```py\nx\n```\nbut\n```\nls -a\n```', { query: 'ls -a' }],
  ['a command in tags', 'swe_agent', 'So\n<command>\nls\n</command>', { query: 'ls' }],
])('a call is read as %s', (_, preset, content, input) => {
  const output = preset === 'swe_agent' ? 'o' : '<tool_response>o</tool_response>';
  const messages = [
    { role: 'user', content: 'Q' },
    { role: 'assistant', content },
    { role: 'user', content: output },
    { role: 'assistant', content: 'A' },
  ];
  const called = imported({ messages }, preset).events.filter((event) => event.type === 'tool_call');
  expect(called).toMatchObject([{ input, observation: 'o' }]);
});

const good = written.webdancer({
  question: 'Q',
  steps: [{ thought: 't', query: 'q', output: 'o' }],
  answer: 'A',
});
test.each<[string, (messages: Message[]) => Message[], string, string]>([
  ['a user who says more', (m) => m.toSpliced(4, 0, m[1]!), 'second_user_message', 'messages[4]'],
  [
    'a result without its marks',
    (m) => m.with(3, { role: 'user', content: 'o' }),
    'second_user_message',
    'messages[3]',
  ],
  [
    'words around a result',
    (m) => m.with(3, { role: 'user', content: `${m[3]!.content} Go on.` }),
    'second_user_message',
    'messages[3]',
  ],
  [
    'a second question before the agent',
    (m) => m.toSpliced(1, 0, m[1]!),
    'second_user_message',
    'messages[2]',
  ],
  ['a call without its result', (m) => m.toSpliced(3, 1), 'call_without_result', 'messages[2].call[0]'],
  [
    'a result that the agent wrote itself',
    (m) => m.with(2, { role: 'assistant', content: m[2]!.content + m[3]!.content }),
    'result_in_agent_turn',
    'messages[2]',
  ],
  [
    'a tag that never closes',
    (m) => m.with(2, { role: 'assistant', content: '<tool_call>{}' }),
    'missing_end_tag',
    'messages[2]',
  ],
  [
    'an end tag alone',
    (m) => m.with(2, { role: 'assistant', content: 'x</tool_call>' }),
    'unexpected_end_tag',
    'messages[2]',
  ],
  [
    'a call that is no JSON',
    (m) => m.with(2, { role: 'assistant', content: '<tool_call>search</tool_call>' }),
    'bad_arguments',
    'messages[2].call[0]',
  ],
  ['a turn after the answer', (m) => [...m, m[3]!], 'text_after_answer', 'messages[5]'],
  [
    'words after the answer',
    (m) => m.with(4, { role: 'assistant', content: `${m[4]!.content} Done.` }),
    'text_after_answer',
    'messages[4]',
  ],
])('%s is refused with the number of its turn', (_, spoil, code, path) => {
  expect(refusalOf(() => imported({ messages: spoil(good) }, 'webdancer'))).toMatchObject({ code, path });
});

test('what else a call says is kept in the trace, and its line says what was asked', () => {
  const visit = { name: 'search', arguments: { query: ['a', 'b'], goal: 'Find it.' } };
  const content = `<tool_call>${JSON.stringify(visit)}</tool_call>`;
  const trace = imported({ messages: good.with(2, { role: 'assistant', content }) }, 'webdancer');
  const exported = JSON.stringify(exportTrace(trace, react, 'openai', '1.0.0'));
  expect(exported).toContain(
    JSON.stringify(JSON.stringify({ goal: 'Find it.', query: 'a | b' })).slice(1, -1),
  );
  expect(outputOf(convertTrace(trace, react, 's'))).toContain('<web_search>a | b</web_search>');
});

test('a history of SWE-agent is imported, in text and with lists of ids', async () => {
  const [text] = await fixtureRows('foreign/swe_agent.traj');
  const trace = imported(text!, 'swe_agent');
  expect(trace.final_answer).toBe('submit');
  expect(trace.task.question).toMatch(/^We're currently solving the following issue/);
  const [first] = trace.events.filter((event) => event.type === 'tool_call');
  expect(first).toMatchObject({ input: { query: 'ls -a' } });
  expect(first!.observation).toMatch(/^\.\n\.\.\n\.git\nmain\.py\n\n\(Open file: n\/a\)/);

  const [calls] = await fixtureRows('foreign/swe_agent_calls.traj');
  const { history } = calls as { history: object[] };
  const spoken = {
    ...(calls as object),
    history: [...history.slice(0, 4), { role: 'assistant', content: 'Solved.' }],
  };
  expect(imported(spoken as JsonValue, 'swe_agent').events.map(({ type }) => type)).toEqual([
    'agent_call',
    'tool_call',
    'agent_call',
  ]);
});

// Reading that is not linear would take minutes.
test.each(presets)('a megabyte of marks as %s is read or refused at once', (preset) => {
  const marks = [
    'Thought: ',
    '\nAction: x',
    '<think>',
    '<think></think>',
    '```\n',
    '{}<code>',
    '</code>',
    ' \n',
  ];
  for (const mark of marks) {
    const text = mark.repeat(1e6 / mark.length);
    const messages = [
      { role: 'user', content: text },
      { role: 'assistant', content: `<tool_call>${text}</tool_call>` },
      { role: 'user', content: `Observation: ${text}` },
      { role: 'assistant', content: text },
    ];
    importsOrRefuses(() => imported({ messages }, preset));
    importsOrRefuses(() => turnPieces(text, turnMapPresets[preset], 'messages[0]'));
  }
});

function importsOrRefuses(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RowRefusal)) throw error;
  }
}

describe('tool calls by id', () => {
  const asks = (...ids: string[]) => ({
    role: 'assistant',
    tool_calls: ids.map((id) => ({ id, function: { name: 'search', arguments: '{"q": "x"}' } })),
  });
  const outputs = (...messages: object[]) => {
    const row = {
      messages: [{ role: 'user', content: 'Q' }, ...messages, { role: 'assistant', content: 'A' }],
    };
    const { events } = imported(row as JsonValue);
    return events.flatMap((event) => (event.type === 'tool_call' ? [event.observation] : []));
  };

  test('that stand again in other turns, or in one, are read in order', () => {
    const turns = fc.array(fc.array(fc.constantFrom('call_0', 'call_1'), { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(turns, (ids) => {
        const messages = ids.flatMap((turn, at) => [
          asks(...turn),
          ...turn.map((id, nth) => ({ role: 'tool', tool_call_id: id, content: `${at}.${nth}` })),
        ]);
        expect(outputs(...messages)).toEqual(ids.flatMap((turn, at) => turn.map((_, nth) => `${at}.${nth}`)));
      }),
    );
  });

  const gives = (...ids: string[]) =>
    ids.map((id) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` }));

  test('have their own results in any order', () => {
    expect(outputs(asks('a', 'b', 'c'), ...gives('c', 'a', 'b'))).toEqual(['of a', 'of b', 'of c']);
  });

  test.each([
    ['lost', ['a', 'c']],
    ['given twice', ['a', 'a', 'b', 'c']],
    ['given twice in place of the next', ['a', 'a', 'c']],
    ['of none of them', ['a', 'x', 'b', 'c']],
  ])('of which one result is %s are refused', (_, ids) => {
    expect(refusalOf(() => outputs(asks('a', 'b', 'c'), ...gives(...ids)))).toHaveProperty('code');
  });

  test('take the parts of a list of ids, and results without an id, in order', () => {
    const parts = ['1', '2'].map((text) => ({ type: 'text', text }));
    expect(outputs(asks('a', 'b'), { role: 'tool', tool_call_ids: ['b', 'a'], content: parts })).toEqual([
      '2',
      '1',
    ]);
    expect(outputs(asks('a'), { role: 'tool', tool_call_ids: ['a'], content: '1' })).toEqual(['1']);
    const given = ['1', '2'].map((content) => ({ role: 'tool', content }));
    expect(outputs(asks('a', 'b'), ...given)).toEqual(['1', '2']);
  });

  test.each<[string, object[], string, string]>([
    [
      'one text for two calls',
      [asks('a', 'b'), { role: 'tool', tool_call_id: ['a', 'b'], content: '1' }],
      'one_result_for_calls',
      'messages[2].tool_call_id',
    ],
    [
      'a call overtaken by another of its id',
      [asks('a'), asks('a'), { role: 'tool', tool_call_id: 'a', content: '1' }],
      'call_without_result',
      'messages[1].tool_calls[0]',
    ],
    [
      'a result that nothing asked for',
      [{ role: 'tool', content: '1' }],
      'result_without_call',
      'messages[1]',
    ],
  ])('with %s are refused', (_, messages, code, path) => {
    expect(refusalOf(() => outputs(...messages))).toMatchObject({ code, path });
  });
});
