import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { capsOf } from '../../calls/budget/capsOf.ts';
import { worstCase } from '../../calls/budget/spendingLog.ts';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import type { AttemptToSend, Bill, ModelCall, RunCalls } from '../../contract/calls.ts';
import type { RecordFailure } from '../../contract/errors.ts';
import { createModelOpener } from '../../pipeline/compose/openModels.ts';
import { openToolModels } from '../../pipeline/compose/openToolModels.ts';
import { setConfigValues } from '../../pipeline/config/setConfigValues.ts';
import { createSession } from '../../pipeline/createSession.ts';
import type { ChatImageMessage } from '../../schemas/chat.ts';
import { type Config, configSchema } from '../../schemas/config/config.ts';
import { concurrencyOf } from '../../schemas/config/endpoint.ts';
import { membersOf } from '../../schemas/config/resolved/endpoints.ts';
import { apiKeyOf } from '../../schemas/config/resolved/sectionModel.ts';
import { askedToolModels, toolModelMember, toolModelsOf } from '../../schemas/config/resolved/toolModels.ts';
import { digestedImages, MOST_IMAGE_TOKENS } from '../../schemas/shownImages.ts';
import { estimatedTokens } from '../../teachers/client/meteredCall.ts';
import { outgoingRequest } from '../../teachers/client/outgoingRequest.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { sampleImages } from '../tools/visualInspector/support/sampleImages.ts';
import { startVisionServer } from '../tools/visualInspector/support/startVisionServer.ts';

const never = new AbortController().signal;
const price = { input_usd_per_million: 2, output_usd_per_million: 8 };

function configOf(tools: object, more: object = {}): Config {
  return configSchema.parse({ tasks: { sources: [{ file: 'x', profile: 'web' }] }, tools, ...more });
}

const inspector = (model: object, more: object = {}) => ({
  visual_inspector: { model: { model: 'eyes', ...model }, ...more },
});
const allModels = {
  ...inspector({}),
  crawl_page: { summary: { model: { model: 'reader' } } },
  wiki_search: { index: 'x', mode: 'hybrid', dense: { model: { model: 'vectors' } } },
};

test('every model that a tool asks is known, at the address of the teacher unless it names one', () => {
  const teacher = { model: { model: 'scripted-teacher', endpoint: { base_url: 'http://teacher/v1' } } };
  const own = { ...allModels, ...inspector({ endpoint: { base_url: 'http://eyes/v1' } }) };
  const known = toolModelsOf(configOf(own, { teacher }));
  expect(known.map(({ part, tool, model, endpoint }) => [part, tool, model, endpoint.base_url])).toEqual([
    ['crawl_page.summary.model', 'crawl_page', 'reader', 'http://teacher/v1'],
    ['wiki_search.dense.model', 'wiki_search', 'vectors', 'http://teacher/v1'],
    ['visual_inspector.model', 'visual_inspector', 'eyes', 'http://eyes/v1'],
  ]);
  expect(toolModelsOf(configOf({}))).toEqual([]);
});

test('where passages are found by words, no model of embeddings is asked', () => {
  const partsIn = (mode: string) =>
    askedToolModels(configOf({ wiki_search: { ...allModels.wiki_search, mode } })).map(({ part }) => part);
  expect(partsIn('bm25')).toEqual([]);
  expect(partsIn('dense')).toEqual(['wiki_search.dense.model']);
  expect(partsIn('hybrid')).toEqual(['wiki_search.dense.model']);
});

describe('a cap of the budget', () => {
  const teacher = { backend: 'scripted' };
  const wanted = new Set(['visual_inspector', 'crawl_page', 'wiki_search']);
  const sampling = { max_tokens: 100 };

  test.each([
    ['visual_inspector.model', inspector({ sampling })],
    ['crawl_page.summary.model', { crawl_page: { summary: { model: { model: 'reader', sampling } } } }],
    [
      'wiki_search.dense.model',
      { wiki_search: { index: 'x', mode: 'hybrid', dense: { model: { model: 'vectors' } } } },
    ],
  ])('of cost needs the price of %s', (part, tools) => {
    const capped = configOf(tools, { teacher, budget: { max_cost_usd: 1 } });
    expect(() => capsOf(capped, wanted)).toThrow(`set tools.${part}.price`);
    expect(capsOf(capped, new Set())).toEqual({ maxCostUsd: 1 });
    const priced = setConfigValues({ tools }, [`tools.${part}.price=${JSON.stringify(price)}`]);
    expect(
      capsOf(configOf(priced.tools as object, { teacher, budget: { max_cost_usd: 1 } }), wanted),
    ).toEqual({
      maxCostUsd: 1,
    });
  });

  test.each([
    ['visual_inspector.model', inspector({})],
    ['crawl_page.summary.model', { crawl_page: { summary: { model: { model: 'reader' } } } }],
  ])('of tokens needs the longest answer of %s', (part, tools) => {
    const capped = configOf(tools, { teacher, budget: { max_tokens: 1_000 } });
    expect(() => capsOf(capped, wanted)).toThrow(`tools.${part}.sampling.max_tokens is not set`);
    expect(capsOf(capped, new Set())).toEqual({ maxTokens: 1_000 });
  });

  test('of tokens takes embeddings, whose answers have none', () => {
    const tools = { wiki_search: { index: 'x', mode: 'hybrid', dense: { model: { model: 'vectors' } } } };
    expect(capsOf(configOf(tools, { teacher, budget: { max_tokens: 9 } }), wanted)).toEqual({ maxTokens: 9 });
  });
});

test('embeddings that no search asks for need no price', () => {
  const budget = { max_cost_usd: 1 };
  const tools = { wiki_search: { corpus: 'x', dense: { model: { model: 'vectors' } } } };
  const config = configOf(tools, { teacher: { backend: 'scripted' }, budget });
  expect(capsOf(config, new Set(['wiki_search']))).toEqual({ maxCostUsd: 1 });
});

test("at the teacher's address with its key, the teacher's limits hold; elsewhere a tool's own", () => {
  const teacher = {
    model: {
      model: 'scripted-teacher',
      endpoint: { base_url: 'http://a/v1', concurrency: 2, requests_per_minute: 30 },
    },
  };
  const limitsOf = (endpoint: object, more: object = { teacher }) => {
    const config = configOf(inspector({ endpoint }), more);
    const [model] = toolModelsOf(config);
    const member = toolModelMember(config, membersOf(model!.endpoint)[0]!);
    return { concurrency: concurrencyOf(member), requests_per_minute: member.requests_per_minute };
  };
  expect(limitsOf({})).toEqual({ concurrency: 2, requests_per_minute: 30 });
  expect(limitsOf({ base_url: 'http://a/v1/', concurrency: 50 })).toEqual({
    concurrency: 2,
    requests_per_minute: 30,
  });
  expect(limitsOf({ api_key_env: 'OTHER', concurrency: 5 })).toEqual({ concurrency: 5 });
  expect(limitsOf({ base_url: 'http://b/v1' })).toEqual({ concurrency: 16 });
  const embedded = { teacher: { ...teacher, backend: 'scripted' } };
  expect(limitsOf({ concurrency: 5 }, embedded)).toEqual({ concurrency: 5 });
});

test('a key that is not there is named with its section', () => {
  const [model] = toolModelsOf(configOf(inspector({ endpoint: { api_key_env: 'EYES' } })));
  expect(() => apiKeyOf(model!.place, model!.endpoint, {})).toThrow(
    /EYES is not set.*tools\.visual_inspector\.model\.endpoint\.api_key_env/,
  );
  expect(apiKeyOf(model!.place, model!.endpoint, { EYES: ' k ' })).toBe('k');
});

const shown = (bytes: Buffer, text = 'What is it?'): ChatImageMessage => ({
  role: 'user',
  content: [
    { type: 'text', text },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` } },
  ],
});

describe('models of a run', () => {
  async function openModels(baseUrl: string, { offline = false, folder = temporaryFolder() } = {}) {
    const told: ModelCall[] = [];
    const sent: AttemptToSend[] = [];
    const bills: Bill[] = [];
    const calls: RunCalls = {
      drain: never,
      admit: async (attempt) => {
        sent.push(attempt);
        return { end: (bill) => void bills.push(bill) };
      },
      modelCall: (call) => void told.push(call),
      toolCall: () => {},
    };
    const cacheFile = join(folder, 'cache.sqlite');
    const cache = await SqliteAnswerCache.open(cacheFile, () => {});
    onTestFinished(() => cache.close());
    const endpoint = { base_url: baseUrl, api_key_env: 'EYES', max_retries: 0 };
    const tools = {
      ...inspector({ endpoint, price, sampling: { max_tokens: 50 } }),
      wiki_search: { corpus: 'x', dense: { model: { model: 'v', endpoint, price } } },
    };
    const env = offline ? {} : { EYES: 'key' };
    const session = createSession({ env, offline, calls });
    const open = createModelOpener(session, cache);
    const models = openToolModels({ config: configOf(tools), open }, session);
    return { models, told, sent, bills, folder, cacheFile };
  }
  const work = { task_id: 'task_1' };

  test('answer once for one image, and from the cache ever after; the cache knows the image by its hash', async () => {
    const server = await startVisionServer(({ image }) => `seen ${image.length} bytes`);
    const { models, told, sent, bills, folder, cacheFile } = await openModels(server.baseUrl);
    const { chat, sampling } = await models.chatModel('visual_inspector.model');
    expect(sampling).toEqual({ max_tokens: 50 });
    const ask = (bytes: Buffer, of = { ...work }) =>
      chat.chat({ messages: [shown(bytes)], sampling }, never, { work: of, role: 'tool' });
    const first = await ask(sampleImages.png);
    const again = await ask(sampleImages.png);
    const other = await ask(sampleImages.jpeg);
    expect(server.requests).toHaveLength(2);
    expect(again).toEqual(first);
    expect(first.content).toBe(`seen ${sampleImages.png.length} bytes`);
    expect(other.content).toBe(`seen ${sampleImages.jpeg.length} bytes`);
    expect(other.request_hash).not.toBe(first.request_hash);
    expect(told).toMatchObject([
      { scope: { work, role: 'tool' }, model: 'eyes', outcome: 'ok', costUsd: (900 * 2 + 30 * 8) / 1e6 },
      { outcome: 'ok' },
    ]);
    expect(sent).toMatchObject([{ imageTokens: MOST_IMAGE_TOKENS, maxTokens: 50, price }, {}]);
    expect(bills).toMatchObject([{ kind: 'used', usage: { prompt_tokens: 900 } }, { kind: 'used' }]);
    const kept = readFileSync(cacheFile);
    for (const file of [kept, readFileSync(`${cacheFile}-wal`)])
      expect(file.includes(sampleImages.png.toString('base64').slice(0, 40))).toBe(false);

    const offline = await openModels('http://127.0.0.1:1/v1', { offline: true, folder });
    const played = await offline.models.chatModel('visual_inspector.model');
    const scope = { work, role: 'tool' } as const;
    const known = { messages: [shown(sampleImages.png)], sampling };
    expect((await played.chat.chat(known, never, scope)).content).toBe(first.content);
    const unknown = { messages: [shown(sampleImages.gif)], sampling };
    const failure = (await played.chat.chat(unknown, never, scope).catch((error) => error)) as RecordFailure;
    expect(failure.failure.cause).toBe('not_cached');
    expect(server.requests).toHaveLength(2);
  });

  test('are opened once, and not without their key', async () => {
    const { models } = await openModels('http://127.0.0.1:1/v1');
    expect(await models.chatModel('visual_inspector.model')).toBe(
      await models.chatModel('visual_inspector.model'),
    );
    expect(await models.embeddings()).toBe(await models.embeddings());
    await expect(models.chatModel('crawl_page.summary.model')).rejects.toThrow(/tools\.crawl_page\.summary/);
    const config = configOf(inspector({ endpoint: { api_key_env: 'NONE' } }));
    const { calls, open } = { calls: {} as RunCalls, open: () => expect.fail('opened') };
    const without = openToolModels({ config, open }, createSession({ env: {}, calls }));
    await expect(without.chatModel('visual_inspector.model')).rejects.toThrow(/NONE is not set/);
  });

  test('give no embeddings offline, and say so', async () => {
    const { models } = await openModels('http://127.0.0.1:1/v1', { offline: true });
    const embeddings = await models.embeddings();
    const failure = (await embeddings.embed(['a'], never).catch((error) => error)) as RecordFailure;
    expect(failure.failure).toMatchObject({ cause: 'not_cached', evidence: { model: 'v' } });
  });
});

describe('an image', () => {
  const big = Buffer.alloc(3_000_000, 7);

  test('is reckoned by what images count, not by its bytes', () => {
    const body = outgoingRequest({ messages: [shown(big)] as never, max_tokens: 100 });
    const messages = [{ role: 'user', content: 'What is it?' }];
    const textOnly = outgoingRequest({ messages, max_tokens: 100 });
    expect(estimatedTokens(body)).toBeGreaterThan(estimatedTokens(textOnly) + 1_000);
    expect(estimatedTokens(body)).toBeLessThan(estimatedTokens(textOnly) + 3_000);
    const attempt = { price, bodyBytes: 200, messages: 1, maxTokens: 100 };
    const { tokens } = worstCase({ ...attempt, imageTokens: MOST_IMAGE_TOKENS });
    expect(tokens - worstCase(attempt).tokens).toBe(MOST_IMAGE_TOKENS);
  });

  test('is hashed in its place, and nothing else is touched', () => {
    const text = { role: 'user', content: 'data:image/png;base64,AAAA' } as const;
    const web = { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } } as const;
    const [kept, digested, named] = digestedImages([text, shown(big), { role: 'user', content: [web] }]);
    expect(kept).toBe(text);
    expect(named).toEqual({ role: 'user', content: [web] });
    expect(JSON.stringify(digested)).toMatch(/"url":"sha256:[0-9a-f]{64}"/);
    expect(digestedImages([shown(big)])).toEqual([digested]);
    const other = Buffer.from(big);
    other[1_500_000] = 8;
    expect(digestedImages([shown(other)])).not.toEqual([digested]);
  });
});
