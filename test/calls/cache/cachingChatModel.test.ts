import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { createCachingChatModel, createModelFlights } from '../../../calls/cache/createCachingModels.ts';
import type { AnswerCache } from '../../../contract/answerCache.ts';
import type { TaskWork } from '../../../contract/calls.ts';
import type { ChatAnswer, ChatModel, ChatRequest } from '../../../contract/chatModel.ts';
import { RecordFailure, WithheldAnswer } from '../../../contract/errors.ts';
import { type CachedAnswer, cachedAnswerSchema } from '../../../schemas/run/cachedAnswer.ts';
import { everySampling } from '../../support/everySampling.ts';
import { fakeModel } from '../../support/fakeModel.ts';
import { stillClock } from '../../teachers/support/clocks.ts';

const never = new AbortController().signal;
const ask = (content: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [{ role: 'user', content }],
  sampling: {},
  ...more,
});
const scope = (work: TaskWork) => ({ work, role: 'planner' as const });

/** A cache in memory. */
function memoryCache(): AnswerCache & { readonly rows: Map<string, CachedAnswer> } {
  const rows = new Map<string, CachedAnswer>();
  return {
    rows,
    lookup: async ({ request, provider }) => rows.get(`${request} ${provider}`),
    lookupRequest: async (request) => [...rows.values()].find((row) => row.request === request),
    async store(answer) {
      const key = `${answer.request} ${answer.provider}`;
      const first = rows.get(key) ?? answer;
      rows.set(key, first);
      return first;
    },
  };
}

/** A model that numbers its answers. */
function countingModel(answer: (n: number, request: ChatRequest) => Partial<ChatAnswer> = () => ({})) {
  const asked: ChatRequest[] = [];
  const learned: ChatAnswer[] = [];
  let style: 'native' | 'structured' = 'native';
  const model: ChatModel = {
    ...fakeModel(async (request) => {
      const n = asked.push(request);
      await new Promise(setImmediate);
      return { content: `answer ${n}`, cost_usd: 0.5, ...answer(n, request) };
    }),
    model: 'm',
    get toolCallStyle() {
      return style;
    },
    preferStructuredToolCalls() {
      style = 'structured';
    },
    learnFrom: (kept) => void learned.push(kept),
  };
  return { model, asked, learned };
}

function cached(
  model: ChatModel,
  cache: AnswerCache,
  more: {
    provider?: string;
    alsoFrom?: string[];
    settings?: JsonObject;
    offline?: boolean;
    costUsd?: number;
  } = {},
): ChatModel {
  const { provider = 'https://one.example/v1', settings = {}, offline = false, costUsd = 0.5 } = more;
  const { alsoFrom = [] } = more;
  const flights = createModelFlights();
  const clock = stillClock();
  return createCachingChatModel({
    model,
    cache,
    provider,
    alsoFrom,
    settings,
    offline,
    clock,
    flights,
    costOf: () => costUsd,
  });
}

describe('a request', () => {
  test('is paid for once over sessions and tasks, and comes back as it was', async () => {
    const cache = memoryCache();
    const { model, asked, learned } = countingModel();
    const first = await cached(model, cache).chat(ask('a'), never, scope({ task_id: 'task_1' }));
    const second = await cached(model, cache).chat(ask('a'), never, scope({ task_id: 'task_2' }));
    expect(second).toEqual(first);
    expect(asked).toHaveLength(1);
    expect(learned).toEqual([first]);
  });

  test('is answered with counts that a call can have, also where others were stored', async () => {
    const cache = memoryCache();
    const { model } = countingModel();
    const first = await cached(model, cache).chat(ask('a'), never);
    for (const [key, row] of cache.rows) {
      const usage = { ...first.usage, cached_tokens: 1e15 };
      cache.rows.set(key, { ...row, answer: { ...row.answer, usage } });
    }
    const offline = await cached(model, cache, { offline: true }).chat(ask('a'), never);
    expect(offline).toEqual({ ...first, usage: { ...first.usage, cached_tokens: 0 } });
  });

  test('is paid for once whichever address of a pool is named first', async () => {
    const cache = memoryCache();
    const { model, asked } = countingModel();
    const [one, two] = ['https://one.example/v1', 'https://two.example/v1'];
    const first = await cached(model, cache, { provider: one, alsoFrom: [two] }).chat(ask('a'), never);
    expect(await cached(model, cache, { provider: two, alsoFrom: [one] }).chat(ask('a'), never)).toEqual(
      first,
    );
    expect(await cached(model, cache, { provider: one }).chat(ask('a'), never)).toEqual(first);
    expect(asked).toHaveLength(1);
  });

  test('that is put twice by one task gets two answers, and the same two when the task begins again', async () => {
    const cache = memoryCache();
    const { model, asked } = countingModel();
    const twice = async (work: TaskWork) => {
      const client = cached(model, cache);
      const answers = [
        await client.chat(ask('a'), never, scope(work)),
        await client.chat(ask('a'), never, scope(work)),
      ];
      return answers.map(({ content }) => content);
    };
    expect(await twice({ task_id: 'task_1' })).toEqual(['answer 1', 'answer 2']);
    expect(await twice({ task_id: 'task_1' })).toEqual(['answer 1', 'answer 2']);
    expect(asked).toHaveLength(2);
    expect(await twice({ task_id: 'task_1', attempt: 1 })).toEqual(['answer 3', 'answer 4']);
  });

  test('is never that of another rollout of the task', async () => {
    const { model, asked } = countingModel();
    const client = cached(model, memoryCache());
    const said = (rollout: number) => client.chat(ask('a'), never, scope({ task_id: 'task_1', rollout }));
    const answers = await Promise.all([0, 1, 2, 0, 1, 2].map(said));
    expect(answers.slice(0, 3).map(({ content }) => content)).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(answers.slice(3)).toEqual(answers.slice(0, 3));
    expect((await client.chat(ask('a'), never, scope({ task_id: 'task_1' }))).content).toBe('answer 1');
    expect(asked).toHaveLength(3);
  });

  test('in flight is shared', async () => {
    const { model, asked } = countingModel();
    const client = cached(model, memoryCache());
    const works = [1, 2, 3].map((n) => scope({ task_id: `task_${n}` }));
    const answers = await Promise.all(works.map((work) => client.chat(ask('a'), never, work)));
    expect(new Set(answers.map(({ content }) => content)).size).toBe(1);
    expect(asked).toHaveLength(1);
  });

  test('is another one as soon as anything differs that shapes its answer', async () => {
    const tools = [{ name: 'code', description: 'Runs it.', parameters: { type: 'object' } }];
    const requests: ChatRequest[] = [
      ask('a'),
      ask('b'),
      ask('a', { messages: [{ role: 'system', content: 'a' }] }),
      ask('a', { sampling: { temperature: 0 } }),
      ...Object.entries(everySampling).map(([key, value]) => ask('a', { sampling: { [key]: value } })),
      ask('a', { tools }),
      ask('a', { tools: [{ ...tools[0]!, description: 'Runs them.' }] }),
      ask('a', { response_schema: { name: 'x', schema: {} } }),
      ask('a', { response_schema: { name: 'x', schema: { type: 'object' } } }),
    ];
    const cache = memoryCache();
    const { model, asked } = countingModel();
    for (const request of requests) await cached(model, cache).chat(request, never);
    await cached(model, cache, { provider: 'https://two.example/v1' }).chat(ask('a'), never);
    await cached(model, cache, { settings: { tool_calls: 'structured' } }).chat(ask('a'), never);
    await cached({ ...model, model: 'other' }, cache).chat(ask('a'), never);
    expect(asked).toHaveLength(requests.length + 3);
  });

  test('has one key however its members are ordered', async () => {
    const shape = fc.record({ name: fc.string(), schema: fc.dictionary(fc.string(), fc.jsonValue()) });
    await fc.assert(
      fc.asyncProperty(shape, async ({ name, schema }) => {
        const cache = memoryCache();
        const { model, asked } = countingModel();
        const turned = Object.fromEntries(Object.entries(schema).reverse());
        for (const order of [schema, turned]) {
          const response_schema = { name, schema: order as JsonObject };
          await cached(model, cache).chat(ask('a', { response_schema }), never);
        }
        expect(asked).toHaveLength(1);
      }),
    );
  });
});

test('of two processes that ask at once, both go on with the answer that is kept', async () => {
  const cache = memoryCache();
  const models = [countingModel(() => ({ content: 'mine' })), countingModel(() => ({ content: 'yours' }))];
  const answers = await Promise.all(models.map(({ model }) => cached(model, cache).chat(ask('a'), never)));
  expect(answers.map(({ content, cost_usd }) => [content, cost_usd])).toEqual([
    ['mine', 0.5],
    ['mine', 0.5],
  ]);
  expect(models.map(({ asked }) => asked.length)).toEqual([1, 1]);
});

test('what an answer cost follows the prices of today', async () => {
  const cache = memoryCache();
  const { model } = countingModel();
  await cached(model, cache).chat(ask('a'), never);
  expect((await cached(model, cache, { costUsd: 0.25 }).chat(ask('a'), never)).cost_usd).toBe(0.25);
  expect(JSON.stringify([...cache.rows.values()])).not.toContain('cost_usd');
});

test('a failure is never stored: it is asked again', async () => {
  const cache = memoryCache();
  const { model, asked } = countingModel((n) => {
    if (n === 1) throw new RecordFailure('endpoint_error', 'cut');
    return {};
  });
  await expect(cached(model, cache).chat(ask('a'), never)).rejects.toThrow('cut');
  expect(cache.rows.size).toBe(0);
  expect((await cached(model, cache).chat(ask('a'), never)).content).toBe('answer 2');
  expect(asked).toHaveLength(2);
});

test.each([
  ['answer_truncated', { finish_reason: 'length' }],
  ['model_refused', { finish_reason: 'content_filter' }],
  ['model_refused', { refusal: 'no' }],
] as const)('%s (%j) is what the model said: stored, and said again', async (cause, more) => {
  const cache = memoryCache();
  const usage = { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 0 };
  const { model, asked } = countingModel((n) => {
    if (n === 1) throw new WithheldAnswer(cause, 'not whole', { ...more, usage, cost_usd: 7 });
    return {};
  });
  const failures = [];
  for (const costUsd of [0.5, 0.25])
    failures.push(
      await cached(model, cache, { costUsd })
        .chat(ask('a'), never)
        .catch((error: RecordFailure) => error.failure),
    );
  const failure = { cause, message: 'not whole', evidence: { ...more, usage, cost_usd: 7 } };
  expect(failures[0]).toMatchObject(failure);
  expect(failures[1]).toEqual({
    ...(failures[0] as object),
    evidence: { ...failure.evidence, cost_usd: 0.25 },
  });
  expect(asked).toHaveLength(1);
  expect(cachedAnswerSchema.safeParse([...cache.rows.values()][0]).success).toBe(true);
  expect(JSON.stringify([...cache.rows.values()])).not.toContain('cost_usd');
  // The second of the task's equal requests is another one.
  const work = { task_id: 'task_1' };
  const client = cached(model, cache);
  await expect(client.chat(ask('a'), never, scope(work))).rejects.toThrow('not whole');
  expect((await client.chat(ask('a'), never, scope(work))).content).toBe('answer 2');
});

test('an answer that somebody spoilt in the cache is asked for again', async () => {
  const cache = memoryCache();
  const { model, asked } = countingModel();
  await cached(model, cache).chat(ask('a'), never);
  for (const [key, row] of cache.rows) cache.rows.set(key, { ...row, answer: { content: 7 } });
  await cached(model, cache).chat(ask('a'), never);
  expect(asked).toHaveLength(2);
});

describe('offline', () => {
  test('a missing answer fails, names the request, and nobody is asked', async () => {
    const { model, asked } = countingModel();
    const call = cached(model, memoryCache(), { offline: true }).chat(
      ask('a'),
      never,
      scope({ task_id: 'task_7' }),
    );
    await expect(call).rejects.toThrow(
      /^--offline: the cache holds no answer to a request of the planner for task_7 to m \(/,
    );
    await expect(call).rejects.toMatchObject({
      failure: { cause: 'not_cached', evidence: { role: 'planner', task_id: 'task_7', model: 'm' } },
    });
    expect(asked).toEqual([]);
  });

  test('an answer from another address is taken', async () => {
    const cache = memoryCache();
    const { model, asked } = countingModel();
    await cached(model, cache).chat(ask('a'), never);
    const elsewhere = cached(model, cache, { offline: true, provider: 'http://localhost/v1' });
    expect((await elsewhere.chat(ask('a'), never)).content).toBe('answer 1');
    expect(asked).toHaveLength(1);
  });

  test('an endpoint that took no tools turns them down again, in its own words', async () => {
    const cache = memoryCache();
    const tools = [{ name: 'code', description: 'Runs it.', parameters: { type: 'object' } }];
    const live = countingModel((_, { tools: offered }) => {
      if (!offered) return {};
      live.model.preferStructuredToolCalls();
      throw new RecordFailure('endpoint_rejected', 'no tools here');
    });
    await expect(cached(live.model, cache).chat(ask('a', { tools }), never)).rejects.toThrow('no tools here');
    await cached(live.model, cache).chat(ask('a'), never);

    const replayed = countingModel();
    const client = cached(replayed.model, cache, { offline: true });
    await expect(client.chat(ask('a', { tools }), never)).rejects.toThrow('no tools here');
    expect(client.toolCallStyle).toBe('structured');
    expect((await client.chat(ask('a'), never)).content).toBe('answer 2');
    expect(replayed.asked).toEqual([]);
  });
});
