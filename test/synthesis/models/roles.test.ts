import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import type { Tool } from '../../../contract/tool.ts';
import { type Form, formSchema } from '../../../schemas/taskSynthesis.ts';
import { createSynthesisRoles } from '../../../synthesis/models/createSynthesisRoles.ts';
import { hashedText } from '../../../synthesis/records/fact.ts';
import type { SynthesisRoles } from '../../../synthesis/roles.ts';
import { startScriptedServer } from '../../../teachers/scripted/startScriptedServer.ts';
import { crawlObservation } from '../../../tools/crawlPage/createCrawlPageTool.ts';
import { htmlToText } from '../../../tools/crawlPage/htmlToText.ts';
import { openSiteSearch } from '../../../tools/site/openSiteSearch.ts';
import { webObservation } from '../../../tools/webSearch/createWebSearchTool.ts';
import { closesWithTest } from '../../support/closesWithTest.ts';
import { createFaultyPlayer, type PlantedFault } from '../../support/synthesis/faultyPlayer.ts';
import { says, startTinyServer } from '../../teachers/support/startTinyServer.ts';
import { modelAt, neverAborted } from '../../teachers/support/tinyModel.ts';

const site = 'examples/atlas/site';
const context = { signal: neverAborted, taskId: 'candidate_1', stage: 'check', ask: 0 } as const;

function page(slug: string) {
  const html = readFileSync(`${site}/${slug}.html`, 'utf8');
  const text = htmlToText(html, new URL(`http://atlas.example/${slug}.html`));
  const title = /^# (.*?)(?: - .*)?$/m.exec(text)![1]!;
  return { id: slug, title, address: `http://atlas.example/${slug}.html`, ...hashedText(text) };
}

/** The tools as agents have them, over the bundled site. */
async function siteTools(): Promise<Tool[]> {
  const search = closesWithTest(await openSiteSearch({ folder: site, host: 'atlas.example' }, () => {}));
  const tool = (name: string, call: (input: never) => string): Tool => ({
    name,
    definition: { name, description: name, parameters: { type: 'object', properties: {} } },
    parseInput: (input) => ({ ok: true, input: input as never }),
    call: async (input) => ({ observation: call(input as never), raw: null }),
  });
  return [
    tool('web_search', ({ query }: { query: string }) =>
      webObservation(query, search.search({ q: query, num: 10 })),
    ),
    tool('crawl_page', ({ urls }: { urls: string[] }) =>
      crawlObservation(
        urls.map((url) => ({ url, ok: true, text: page(url.split('/').at(-1)!.replace('.html', '')).text })),
      ),
    ),
  ];
}

async function embedded(rate = 0): Promise<{ roles: SynthesisRoles; planted: PlantedFault[] }> {
  const planted: PlantedFault[] = [];
  const remembered = ['lindrey', 'far-horizon', 'inkerby'].map(page);
  const script = createFaultyPlayer({ seed: 7, rate, remembered, onPlanted: (one) => planted.push(one) });
  const { baseUrl } = closesWithTest(await startScriptedServer({ script }));
  const models = () => ({ chat: modelAt(baseUrl), sampling: { seed: 7 } });
  const roles = createSynthesisRoles({ models, tools: await siteTools() });
  return { roles, planted };
}

const form = (triples: Form['triples'], rest: Partial<Form> = {}): Form =>
  formSchema.parse({ triples, asked: '?a', ...rest });

test('facts are read from the text of the request, quotes to the letter', async () => {
  const { roles } = await embedded();
  const document = page('lindrey');
  const { value } = await roles.propose(document, 20, context);
  expect(value.map(({ relation, value }) => [relation, value])).toContainEqual(['capital', 'Inkerby']);
  expect(value.map(({ relation, type }) => [relation, type])).toContainEqual(['area', 'number']);
  for (const { quote, subject } of value) {
    expect(document.text).toContain(quote);
    expect(subject).toBe('Lindrey');
  }
  expect((await roles.propose(document, 3, context)).value).toHaveLength(3);
});

/** What Qwen2.5 1.5B said of a passage of one line, and a line that there is not. */
const ofSmallModel = [
  { relation: 'year of production', value: '1946', type: 'date', line: 1 },
  { relation: 'director', value: 'Pietro Germi', type: 'entity', line: 2 },
  { relation: 'producer', value: 'nobody', type: 'entity', line: 0 },
].map((fact) => ({ subject: 'The Testimony (1946 film)', many_valued: false, ...fact }));

const asked: [string, Form, string[], string][] = [
  [
    'a chain',
    form([
      ['Lindrey', 'capital', '?x'],
      ['?x', 'founder', '?a'],
    ]),
    ['lindrey', 'inkerby'],
    'Cyril Jessop',
  ],
  [
    'two clues',
    form(
      [
        ['?x', 'waters', 'Sea of Lanterns'],
        ['?x', 'area', '?r'],
        ['?x', 'capital', '?a'],
      ],
      { ranges: { '?r': [390, 400] } },
    ),
    ['lindrey'],
    'Inkerby',
  ],
  [
    'a comparison',
    form(
      [
        ['?w', 'length', '?n'],
        ['?w', 'builder', '?a'],
      ],
      { compare: { variable: '?w', of: ['Far Horizon', 'Amaranth'], by: '?n', picks: 'largest' } },
    ),
    ['far-horizon', 'amaranth'],
    'Cormorant Yard',
  ],
];

test.each(asked)('%s is written, read back, and solved', async (_, meant, slugs, gold) => {
  const { roles } = await embedded();
  const { value: question } = await roles.write(meant, context);
  const { value: read } = await roles.readBack(question, [], context);
  expect(read.triples).toHaveLength(meant.triples.length);
  const passages = slugs.map((slug) => page(slug).text);
  const { value: answer } = await roles.solve(question, passages, context);
  expect(answer).toBe(gold);
  expect((await roles.solve(question, [], context)).value).toBe('');
  expect((await roles.solve(question, [page('veyra').text], context)).value).toBe('');
  const tried = await roles.solveWithTools(question, context);
  expect(tried.value).toMatchObject({ answer });
  expect(tried.value.tool_calls).toBeGreaterThanOrEqual(2);
  expect(tried.calls).toBe(tried.value.tool_calls + 1);
  expect((await roles.meetsClues(question, { answer, shown: tried.value.shown }, context)).value).toBe(true);
  expect(
    (await roles.meetsClues(question, { answer: 'Veyra', shown: tried.value.shown }, context)).value,
  ).toBe(false);
});

test('planted faults are told of, and are the same again', async () => {
  const first = await embedded(1);
  const second = await embedded(1);
  const meant = asked[0]![1];
  for (const { roles } of [first, second]) {
    await roles.propose(page('lindrey'), 20, context);
    const { value: question } = await roles.write(meant, context);
    await roles.solve(question, [], context);
  }
  expect(first.planted).toEqual(second.planted);
  expect(new Set(first.planted.map(({ fault }) => fault)).size).toBeGreaterThan(3);
});

/** Roles whose models all say one thing. */
async function saying(answer: JsonObject): Promise<SynthesisRoles> {
  const server = await startTinyServer(({ path }) =>
    path.endsWith('/completions') ? says(JSON.stringify(answer)) : { body: { object: 'list', data: [] } },
  );
  return createSynthesisRoles({ models: () => ({ chat: modelAt(server.baseUrl), sampling: {} }), tools: [] });
}

test('a fact is quoted by the line that it names, one beyond the last line by that', async () => {
  const roles = await saying({ facts: { ...ofSmallModel, 4: null } });
  const paragraph =
    'The Testimony (Italian:Il testimone) is 1946 Italian crime film directed by Pietro Germi.';
  const text = `# The Testimony (1946 film)\n\n${paragraph}`;
  const document = {
    id: 'd',
    title: 'The Testimony (1946 film)',
    address: 'passage:p4',
    ...hashedText(text),
  };
  const { value } = await roles.propose(document, 3, context);
  expect(value.map(({ value, quote }) => [value, quote])).toEqual([
    ['1946', paragraph],
    ['Pietro Germi', paragraph],
    ['nobody', 'line 0'],
  ]);
});

test.each([
  [1, 0],
  [2, null],
  [null, null],
])('steps are numbered from one, as people and small models count: %s', async (pick, place) => {
  const roles = await saying({ pick });
  const meant = asked[0]![1];
  const { value } = await roles.link(meant, [{ form: meant, facts: [] }], context);
  expect(value).toBe(place);
});

test('every answer is asked for in the strict mode of OpenAI', async () => {
  const server = await startTinyServer(() => says('{}'));
  const chat = modelAt(server.baseUrl);
  const roles = createSynthesisRoles({ models: () => ({ chat, sampling: {} }), tools: await siteTools() });
  const meant = asked[0]![1];
  const asking = [
    roles.propose(page('lindrey'), 3, context),
    roles.link(meant, [], context),
    roles.write(meant, context),
    roles.readBack('What is it?', ['capital'], context),
    roles.solve('What is it?', [], context),
    roles.solve('What is it?', ['a passage'], context),
    roles.meetsClues('What is it?', { answer: '', shown: [] }, context),
  ];
  await Promise.allSettled(asking);
  const formats = server.requests.flatMap(
    ({ body }) => (body.response_format as JsonObject)?.json_schema ?? [],
  );
  expect(new Set(formats.map((one) => (one as JsonObject).name)).size).toBe(6);
  expect(formats.filter((one) => !(one as JsonObject).strict)).toEqual([]);
});

test('an answer that can not be read is a failure, not a verdict', async () => {
  const roles = await saying({ meets_all: 'perhaps' });
  const asking = roles.meetsClues('What is it?', { answer: 'this', shown: [] }, context);
  await expect(asking).rejects.toMatchObject({ failure: { cause: 'malformed_answer' } });
});
