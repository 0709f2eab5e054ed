import { expect, test } from 'vitest';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { connectives } from '../../stages/convert/thoughts.ts';
import { traceOfRun } from '../../teachers/importers/createImporters.ts';
import type { ForeignTurn } from '../../teachers/importers/runs/foreignRun.ts';
import { convertClean, importValue, outputOf } from '../interchange/importing.ts';

const call = (id: string, query: string) => ({
  id,
  type: 'function',
  function: { name: 'wiki_search', arguments: JSON.stringify({ query }) },
});

test('parallel calls of an imported conversation become sequential under the one thought', () => {
  const messages = [
    { role: 'user', content: 'Who?' },
    { role: 'assistant', content: '<think>first</think><plan>both</plan>' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'two at once',
      tool_calls: [call('1', 'a'), call('2', 'b')],
    },
    { role: 'tool', tool_call_id: '2', content: 'of b' },
    { role: 'tool', tool_call_id: '1', content: 'of a' },
    { role: 'assistant', content: 'she', reasoning_content: 'so' },
  ];
  const trajectory = convertClean(importValue('openai', { messages }, { profile: 'mhqa' }));
  expect(outputOf(trajectory)).toBe(
    [
      '<think>first</think>\n<plan>both</plan>\n',
      '<think>two at once</think>\n<wiki_search>a</wiki_search>\n<observation>\nof a\n</observation>\n\n',
      `<think>${connectives.parallel}</think>\n<wiki_search>b</wiki_search>\n<observation>\nof b\n</observation>\n\n`,
      '<think>so</think>\n<answer>she</answer>',
    ].join(''),
  );
});

test('a call beside a sub-agent goes back to the agent that asked for both', () => {
  const turn = (reasoning: string, more: Partial<ForeignTurn> = {}): ForeignTurn => ({
    path: 'turn',
    reasoning,
    text: '',
    calls: [],
    ...more,
  });
  const search = (query: string) => ({
    path: 'call',
    name: 'wiki_search',
    input: { query },
    observation: `of ${query}`,
  });
  const subAgent = { ...search('x'), name: 'helper', subTurns: [turn('inside', { calls: [search('a')] })] };
  const trace = traceOfRun(
    {
      question: 'Who?',
      answers: [],
      teacher: 't',
      extra: {},
      remarks: [],
      unread: [],
      turns: [
        turn('first', { text: 'the plan', action: 'plan' }),
        turn('outside', { calls: [subAgent, search('b')] }),
        turn('so', { text: 'she' }),
      ],
    },
    {
      format: 'atif',
      file: 'f',
      row: 1,
      profileOf: builtinProfile,
      profile: 'mhqa',
      tools: new Map(),
    },
  );
  const words = convertClean(trace).segments.map(({ text }) => text.trim().replaceAll(/<[^>]+>|\n/g, ''));
  expect(words).toEqual(['first', 'the plan', 'inside', 'a', 'of a', 'outside', 'b', 'of b', 'so', 'she']);
});
