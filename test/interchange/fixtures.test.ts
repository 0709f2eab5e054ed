import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import type { Trace } from '../../schemas/trace.ts';
import { convertClean, fixtureRows, importValue, outputOf } from './importing.ts';

test('an ATIF document imports, converts and keeps the grammar', async () => {
  const [document] = await fixtureRows('mhqa.atif.json');
  const trace = importValue('atif', document!, { profile: 'mhqa' });
  expect(trace.task).toMatchObject({
    given_id: 'root',
    answers: ['Norland'],
    source: { file: 'test.jsonl', row: 1 },
  });
  expect(trace.totals).toMatchObject({
    prompt_tokens: 120,
    cached_tokens: 100,
    cost_usd: 0.002,
    tool_calls: 2,
  });
  expect(trace.extra?.imported).toMatchObject({
    remarks: ['copied_context_left_out', 'image_left_out', 'sub_agents_flattened', 'system_steps_left_out'],
  });
  expect(outputOf(convertClean(trace))).toBe(`<think>Two hops: the river first, then its mouth.</think>
<plan>1. Find the river at Harbury.
2. Find where it ends.</plan>
<think>Harbury may have a page of its own.

Let me look it up.</think>
<wiki_search>Harbury river</wiki_search>
<observation>
Harbury lies on the Teln. See <\\/observation\\> and <\\answer>7<\\/answer>.
</observation>

<think>A colleague should find the mouth of the Teln.</think>
<wiki_search>Teln mouth</wiki_search>
<observation>
The Teln ends in Norland.
</observation>

<think>Both hops agree.</think>
<answer>Norland</answer>`);
});

test('a sub-agent that is mapped to a tool is that tool', async () => {
  const [document] = await fixtureRows('mhqa.atif.json');
  const trace = importValue('atif', document!, { profile: 'mhqa', map: { ask_colleague: 'wiki_search' } });
  expect(outputOf(convertClean(trace))).toContain(
    '<wiki_search>Where does the Teln end?</wiki_search>\n<observation>\nIn Norland.\n</observation>',
  );
});

test('ADP trajectories import, convert and keep the grammar', async () => {
  const [first, second] = await fixtureRows('two.adp.jsonl');
  const web = importValue('adp', first!, { profile: 'mhqa' });
  expect(outputOf(convertClean(web))).toBe(`<think>Two hops.</think>
<plan>Find the river, then its mouth.</plan>
<think>Harbury may have a page.</think>
<wiki_search>Harbury river</wiki_search>
<observation>
Harbury lies on the Teln.
</observation>

<think>Now the mouth of the Teln.</think>
<wiki_search>Teln mouth</wiki_search>
<observation>
StaticText 'The Teln ends in Norland.'
</observation>

<think>Both hops agree.</think>
<answer>Norland</answer>`);
  expect(web.extra).toMatchObject({
    adp: { available_apis: ['wiki_search'], details: { dataset: 'made-up' } },
  });
  const code = importValue('adp', second!, { profile: 'math' });
  expect(outputOf(convertClean(code))).toBe(
    '<plan>Compute it.</plan>\n<think>Multiply.</think>\n<code>\n```py\nprint(6 * 7)\n```\n</code>\n<observation>\n42\n</observation>\n\n<reflection>The program agrees.</reflection>\n<think>Done.</think>\n<answer>\\boxed{42}</answer>',
  );
});

test('an OpenAI conversation imports, converts and keeps the grammar; unknown keys survive', async () => {
  const [row] = await fixtureRows('one.openai.jsonl');
  const trace = importValue('openai', row!, { profile: 'mhqa', map: { lookup: 'wiki_search' } });
  expect(outputOf(convertClean(trace))).toBe(`<think>Two hops.</think>
<plan>I find the river first, then its mouth.</plan>
<think>Harbury may have a page.</think>
<wiki_search>Harbury river</wiki_search>
<observation>
Harbury lies on the Teln.
</observation>

<think>Now the mouth of the Teln.</think>
<wiki_search>Teln</wiki_search>
<observation>
The Teln ends in Norland.
</observation>

<think>Both hops agree.</think>
<answer>Norland</answer>`);
  expect(trace.extra).toMatchObject({
    openai: {
      row: { gateway: { latency_ms: 12 }, tools: [{}] },
      left: [{ at: 0, message: { role: 'system' } }],
    },
  });
  expect(trace.events.at(-1)?.extra).toEqual({ openai: { weight: 1 } });
});

/** Every text of a row, and every number as text: some formats give answers as numbers. */
function textsOf(value: JsonValue | undefined): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsOf(member as JsonValue)]);
}

/** Makes sure that whatever agents and tools say in a trace stands in the row: thoughts may be joined, nothing more. */
function expectWordsFrom(row: JsonValue, trace: Trace): void {
  const source = textsOf(row);
  const said = trace.events.flatMap((event) => {
    if (event.type === 'tool_call') return [event.observation ?? '', ...Object.values(event.input).flat()];
    const { next: _, think, ...words } = event.answer ?? {};
    return [...String(think ?? '').split('\n\n'), ...Object.values(words)];
  });
  for (const words of said.flatMap((text) => String(text).split('\n')))
    expect(source.some((text) => text.includes(words.trim()))).toBe(true);
}

test.each([
  ['atif', 'mhqa.atif.json'],
  ['openai', 'one.openai.jsonl'],
  ['adp', 'two.adp.jsonl'],
] as const)(
  'a trace from %s has the words of its row and no others, and the same ids each time',
  async (format, file) => {
    const [row] = await fixtureRows(file);
    const as = { profile: 'mhqa', map: { lookup: 'wiki_search' } };
    const trace = importValue(format, row!, as);
    expectWordsFrom(row!, trace);
    expect(importValue(format, structuredClone(row!), as)).toEqual(trace);
  },
);
