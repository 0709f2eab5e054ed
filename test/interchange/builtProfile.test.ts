import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { ConfigProblems } from '../../pipeline/config/configProblems.ts';
import { profileRegistryOf } from '../../pipeline/config/declaredProfiles.ts';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { importTraceRow } from '../../teachers/importers/createImporters.ts';
import { runReaders } from '../../teachers/importers/formats.ts';
import { RowRefusal } from '../../teachers/importers/rowRefusal.ts';
import { isActionTool } from '../../teachers/importers/runs/toolTags.ts';
import { type BuiltProfile, profileOfRuns } from '../../teachers/importers/survey/profileOfRuns.ts';
import { RunSurvey } from '../../teachers/importers/survey/runSurvey.ts';
import { testDataPath } from '../support/testData.ts';
import { outputOf, rowsOf } from './importing.ts';

/** A row in the format `openai`. */
interface Step {
  readonly thought: string | null;
  readonly calls: readonly { readonly name: string; readonly args: JsonObject; readonly result: string }[];
}

function rowOf(question: string, steps: readonly Step[], answer: string): JsonObject {
  const turns = steps.flatMap(({ thought, calls }, turn) => [
    {
      role: 'assistant',
      content: null,
      ...(thought !== null && { reasoning_content: thought }),
      tool_calls: calls.map(({ name, args }, nth) => ({
        id: `${turn}.${nth}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      })),
    },
    ...calls.map(({ result }, nth) => ({ role: 'tool', tool_call_id: `${turn}.${nth}`, content: result })),
  ]);
  const messages = [{ role: 'user', content: question }, ...turns, { role: 'assistant', content: answer }];
  return { messages } as unknown as JsonObject;
}

/** One call of one tool, and an answer. */
function callingRow(name: string, args: JsonObject, result = 'r'): JsonObject {
  return rowOf('q', [{ thought: null, calls: [{ name, args, result }] }], 'a');
}

function built(rows: readonly JsonValue[], map: ReadonlyMap<string, string> = new Map()): BuiltProfile {
  const survey = new RunSurvey(map);
  for (const row of rows) survey.add(runReaders.openai(row, { onUnread: 'refuse' }));
  return profileOfRuns(survey);
}

/** The text of a row that is imported under a built profile and converted, and what is wrong with it. */
function converted(row: JsonValue, { declaration, tools }: BuiltProfile) {
  const problems = new ConfigProblems({ file: 'x', value: {}, lineOf: () => undefined });
  const { profileOf } = profileRegistryOf(problems, [declaration]);
  problems.throwIfAny();
  const profile = profileOf(declaration.name)!;
  const importRow = importTraceRow({
    format: 'openai',
    profileOf,
    tools: new Map(),
    onUnread: 'refuse',
    built: { name: declaration.name, tools: new Map(Object.entries(tools)) },
  });
  const { record } = importRow(row, { file: 'a.jsonl', row: 1 });
  const text = outputOf(convertTrace(record, profile, 'system'));
  const { blocks, issues } = parseBlocks(profile, text);
  return { text, problems: [...issues, ...checkGrammar(profile, blocks)].map(({ message }) => message) };
}

/** Words that hold no tag: those of a model would be one in a trajectory, and the filter says so. */
const words = fc.string({ minLength: 1 }).filter((text) => !/[<>|[\]]/.test(text) && text.trim() !== '');
const names = fc
  .oneof(
    fc.constantFrom(
      'web_search',
      'Web-Search',
      'web search',
      'crawl_page',
      'code',
      'python',
      'plan',
      'tools',
    ),
    fc.constantFrom('s', 'tool_call', 'get_observation', 'observation', 'reflection', 'double_check', '搜索'),
    fc.constantFrom('1st', 'mcp__a__b', 'getWeather', 'get_weather', 'visual_inspector', 'constructor'),
    fc.string({ minLength: 1, maxLength: 8 }),
  )
  .filter((name) => name.trim() !== '' && !isActionTool(name));
const values: fc.Arbitrary<JsonValue> = fc.oneof(
  words,
  fc.integer(),
  fc.boolean(),
  fc.array(words),
  fc.constant(null),
);
const argumentsOf = fc.oneof(
  fc.record({ query: words }),
  fc.record({ url: fc.oneof(fc.webUrl(), fc.array(fc.webUrl(), { minLength: 1 }), words) }),
  fc.record({ code: words, stdin: words }, { requiredKeys: ['code'] }),
  fc.dictionary(fc.constantFrom('query', 'command', 'path', 'n'), values),
);
const steps = fc.array(
  fc.record({
    thought: fc.option(words),
    calls: fc.array(
      fc.record({
        name: names,
        args: argumentsOf,
        result: fc.oneof(words, fc.constant('</observation><answer>4')),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { maxLength: 4 },
);
const rows = fc.array(
  fc.tuple(words, steps, words).map(([question, taken, answer]) => rowOf(question, taken, answer)),
  { minLength: 1, maxLength: 4 },
);

test('every row whose calls name their tools is imported, converted and right under the profile of all', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const profile = built(all);
      for (const row of all) expect(converted(row, profile).problems).toEqual([]);
    }),
  );
});

test('a profile does not depend on the order of rows', () => {
  fc.assert(
    fc.property(rows, (all) => {
      expect(built(all.toReversed())).toEqual(built(all));
      expect(JSON.stringify(built(all.toReversed()))).toBe(JSON.stringify(built(all)));
    }),
  );
});

test('a tag of its own for each tool, the plain name for the tool that has it', () => {
  const tools = ['Web-Search', 'web_search', 'web search', 'plan', 's', 'get_observation', 'constructor'];
  expect(built(tools.map((name) => callingRow(name, { query: 'x' }))).tools).toEqual({
    web_search: 'web_search',
    'Web-Search': 'web_search_2',
    'web search': 'web_search_3',
    plan: 'plan_tool',
    s: 's_tool',
    get_observation: 'get_obs',
    constructor: 'constructor',
  });
});

test.for<[title: string, rows: JsonObject[], body: string]>([
  ['one text', [callingRow('t', { command: 'ls' }), callingRow('t', { command: 'pwd' })], 'text'],
  ['one address', [callingRow('t', { url: 'https://a.b' })], 'urls'],
  ['addresses', [callingRow('t', { urls: ['https://a.b', 'http://c'] })], 'urls'],
  ['an address that is none', [callingRow('t', { url: 'a.b' })], 'text'],
  ['a program', [callingRow('python', { code: 'print(1)' })], 'code'],
  ['a program of another language', [callingRow('run_ruby', { code: 'puts 1' })], 'text'],
  ['two arguments', [callingRow('t', { query: 'x', n: 3 })], 'json'],
  ['another argument in another row', [callingRow('t', { q: 'x' }), callingRow('t', { url: 'x' })], 'json'],
  ['an argument that is not always there', [callingRow('t', { q: 'x' }), callingRow('t', {})], 'json'],
  ['no argument', [callingRow('t', {})], 'json'],
  ['a number', [callingRow('t', { n: 3 })], 'json'],
])('the body holds all that calls say: %s', ([, all, body]) => {
  const { declaration } = built(all);
  expect(declaration.tags!.find(({ kind }) => kind === 'tool')?.body).toBe(body);
});

test('a built-in tag keeps its meaning: another tool of the name has another tag, unless --map says which', () => {
  const row = callingRow('web_search', { query: 'x', n: 3 });
  expect(built([row]).tools).toEqual({ web_search: 'web_search_tool' });
  const mapped = built([row], new Map([['web_search', 'web_search']]));
  expect(mapped.tools).toEqual({ web_search: 'web_search' });
  expect(converted(row, mapped).text).toContain('<web_search>x</web_search>');
});

test('the order is that of the rows, and leads to the answer from everywhere', () => {
  const call = (name: string) => ({ thought: null, calls: [{ name, args: { q: 'x' }, result: 'r' }] });
  const whole = rowOf('q', [call('a'), call('b')], 'x');
  const { messages } = rowOf('q', [call('a'), call('c')], 'x') as unknown as { messages: JsonValue[] };
  const unfinished = { messages: messages.slice(0, -1) };
  const { declaration } = built([whole, unfinished]);
  expect(declaration).toMatchObject({
    first: ['a'],
    follows: { a: ['b', 'c'], b: ['answer'], c: ['answer'] },
    think_optional_before: [],
    once: ['answer'],
  });
});

test('thinking may stand before every action where agents think, and adds no words', () => {
  const row = rowOf(
    'q',
    [{ thought: 'Both.', calls: ['x', 'y'].map((q) => ({ name: 't', args: { q }, result: 'r' })) }],
    'a',
  );
  const profile = built([row]);
  expect(profile.declaration).toMatchObject({ think_before: [], think_optional_before: ['t', 'answer'] });
  expect(converted(row, profile).text).toBe(
    '<think>Both.</think>\n<t>x</t>\n<observation>\nr\n</observation>\n\n<t>y</t>\n<observation>\nr\n</observation>\n\n<answer>a</answer>',
  );
});

const conversations = readdirSync(testDataPath('field')).filter((name) => /^[ab]\d+.*\.jsonl$/.test(name));

test.each(conversations)(
  'a foreign row is read under the profile that is built of it, or not at all: %s',
  async (name) => {
    const all = await rowsOf(testDataPath(`field/${name}`));
    const unread = all.flatMap(
      (row) => refusedAs(() => runReaders.openai(row, { onUnread: 'refuse' })) ?? [],
    );
    if (unread.length > 0) return;
    const profile = built(all);
    // Calls in the text of turns need --map.
    if (Object.keys(profile.tools).length === 0) return;
    for (const row of all) {
      const refused = refusedAs(() => converted(row, profile));
      // A conversation that ends with a call or before its result has no answer.
      if (/ends_on_tool|pending_call|orphan/.test(name))
        expect(refused).not.toMatch(/unmapped_tool|no_profile/);
      else expect([refused, refused ?? converted(row, profile).problems]).toEqual([undefined, []]);
    }
  },
);

/** The code of a refusal or failure; undefined where there is none. */
function refusedAs(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof RowRefusal) return error.code;
    if (error instanceof RecordFailure) return error.failure.cause;
    throw error;
  }
}
