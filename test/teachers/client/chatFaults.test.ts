import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { usageSchema } from '../../../schemas/chat.ts';
import type { FailureCause } from '../../../schemas/failureCauses.ts';
import { stillClock } from '../support/clocks.ts';
import { rejects, says, startTinyServer, type TinyAnswer } from '../support/startTinyServer.ts';
import { failureAt, modelAt, neverAborted, plainRequest } from '../support/tinyModel.ts';

/** An error as some gateways send it, with status 200. */
function inside(error: JsonObject): TinyAnswer {
  return { body: { error: { message: 'no', ...error }, user_id: 'u' } };
}

const matrix: readonly [title: string, answer: TinyAnswer, cause: FailureCause, tries: number][] = [
  ['500', rejects(500, 'oops'), 'endpoint_error', 3],
  ['502 with a page', { status: 502, body: '<html>bad gateway</html>' }, 'endpoint_error', 3],
  ['a cut answer', 'cut', 'endpoint_error', 3],
  ['an empty body', { body: '' }, 'endpoint_error', 3],
  ['HTML instead of JSON', { body: '<!doctype html><p>sign in' }, 'endpoint_error', 3],
  ['JSON that is not a completion', { body: { id: 'x' } }, 'endpoint_error', 3],
  ['an error inside a 200', { body: { error: { message: 'busy' } } }, 'endpoint_error', 3],
  ['a refusal of the rate inside a 200', inside({ code: 429 }), 'endpoint_rate_limited', 3],
  ['the same in words', inside({ code: 'rate_limit_exceeded' }), 'endpoint_rate_limited', 3],
  ['an empty account inside a 200', inside({ code: 'insufficient_quota' }), 'endpoint_rate_limited', 1],
  ['a gateway without its provider', inside({ code: 502 }), 'endpoint_error', 3],
  ['a bad request inside a 200', inside({ code: 400 }), 'endpoint_rejected', 1],
  ['the same by its type', inside({ type: 'invalid_request_error' }), 'endpoint_rejected', 1],
  ['a wrong key inside a 200', inside({ code: 'invalid_api_key' }), 'endpoint_rejected', 1],
  ['a full context inside a 200', inside({ code: 'context_length_exceeded' }), 'context_exceeded', 1],
  ['an error in words alone', { body: { error: 'model not loaded' } }, 'endpoint_error', 3],
  ['an error object', { body: { object: 'error', message: 'busy', code: 503 } }, 'endpoint_error', 3],
  [
    'an error inside a choice',
    { body: { choices: [{ error: { code: 502, message: 'upstream' }, message: { content: '' } }] } },
    'endpoint_error',
    3,
  ],
  ['no choice', { body: { choices: [] } }, 'endpoint_error', 3],
  ['429', rejects(429, 'slow down'), 'endpoint_rate_limited', 3],
  ['429 for an empty account', rejects(429, 'pay', 'insufficient_quota'), 'endpoint_rate_limited', 1],
  ['408', rejects(408, 'late'), 'endpoint_timeout', 3],
  ['504', rejects(504, 'late'), 'endpoint_timeout', 3],
  ['400', rejects(400, 'bad temperature'), 'endpoint_rejected', 1],
  ['401', rejects(401, 'Incorrect API key provided: sk-secret-key'), 'endpoint_rejected', 1],
  ['403', rejects(403, 'no'), 'endpoint_rejected', 1],
  ['404', rejects(404, 'no such model'), 'endpoint_rejected', 1],
  ['a full context by code', rejects(400, 'too much', 'context_length_exceeded'), 'context_exceeded', 1],
  [
    'a full context by its words',
    rejects(500, 'Requested tokens (9000) exceed context window of 8192'),
    'context_exceeded',
    1,
  ],
  ['413', rejects(413, 'large'), 'context_exceeded', 1],
  ['the length limit', says('half an ans', {}, { finish_reason: 'length' }), 'answer_truncated', 1],
  ['a content filter', says(null, {}, { finish_reason: 'content_filter' }), 'model_refused', 1],
  ['a refusal', says(null, { refusal: 'I will not' }), 'model_refused', 1],
];

test.each([
  [
    { status: 502, body: '<html><h1>502 Bad Gateway</h1><script>x()</script></html>' },
    /502 an HTML page: 502 Bad Gateway$/,
  ],
  [{ body: '<!doctype html><title>Login</title><p>sign in' }, /200 with an HTML page: Login sign in$/],
  [{ body: 'data: {"id":"c"}\n\ndata: [DONE]\n\n' }, /200 with a stream of events/],
  [{ body: 'Service is starting' }, /not JSON: Service is starting$/],
] as const)('what is no answer is named as what it is: %j', async (answer, named) => {
  const { baseUrl } = await startTinyServer(() => answer);
  expect((await failureAt(baseUrl)).message).toMatch(named);
});

test('where nothing answers, the address is named, with what is usually wrong with it', async () => {
  const { baseUrl } = await startTinyServer(() => rejects(404, 'nothing here'));
  const at = async (address: string) => (await failureAt(address)).message;
  expect(await at(baseUrl)).toMatch(
    /nothing here \(POST http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions\)$/,
  );
  expect(await at(baseUrl.replace(/\/v1$/, ''))).toContain('ends in /v1');
  expect(await at(`${baseUrl}/chat/completions`)).toContain('out of base_url');
});

test('a key that the endpoint repeats in its answer goes no further', async () => {
  const secret = 'sk-secret/key-1234567890';
  const body = JSON.stringify({
    choices: [{ message: { content: `got ${secret}`, reasoning: `saw ${secret}` }, finish_reason: 'stop' }],
  });
  const answers = [body, body.replaceAll('/', '\\/')];
  const { baseUrl } = await startTinyServer((_, count) => ({ body: answers[count]! }));
  for (const _ of answers) {
    const answer = await modelAt(baseUrl, {}, { apiKey: secret }).chat(plainRequest, neverAborted);
    expect(answer).toMatchObject({ content: 'got [key]', reasoning: 'saw [key]' });
  }
});

test('a placeholder for a key is no secret: the answer keeps its words', async () => {
  const { baseUrl } = await startTinyServer(() => says('an EMPTY set'));
  const answer = await modelAt(baseUrl, {}, { apiKey: 'EMPTY' }).chat(plainRequest, neverAborted);
  expect(answer.content).toBe('an EMPTY set');
});

describe('every fault has one cause', () => {
  test.each(matrix)('%s', async (_, answer, cause, tries) => {
    const { baseUrl, requests } = await startTinyServer(() => answer);
    const failure = await failureAt(baseUrl, { max_retries: 2 });
    expect(failure.cause).toBe(cause);
    expect(requests).toHaveLength(tries);
    expect(JSON.stringify(failure)).not.toContain('sk-secret-key');
    expect(failure.message).not.toContain('\n');
  });

  test.each<[string, JsonObject, string, JsonObject]>([
    [
      'message and code',
      { error: { message: 'Provider returned error', code: 429, metadata: { raw: 'x' } } },
      'the endpoint answered 200 with an error: Provider returned error (code 429)',
      { status: 200, code: 429 },
    ],
    [
      'a message without a code',
      { error: { message: 'sk-secret-key is\n wrong', code: null, type: 'server_error' } },
      'the endpoint answered 200 with an error: [key] is wrong (server_error)',
      { status: 200 },
    ],
    [
      'neither',
      { error: {} },
      'the endpoint answered 200 with an error that has no message',
      { status: 200 },
    ],
  ])("an error inside a 200 is told with the provider's %s", async (_, body, message, evidence) => {
    const { baseUrl } = await startTinyServer(() => ({ body }));
    expect(await failureAt(baseUrl, { max_retries: 0 })).toMatchObject({ message, evidence });
  });

  test.each([{ error: null }, { error: {} }, { error: '' }])(
    'an answer with %j beside it is an answer',
    async (more) => {
      const said = says('done') as { body: JsonObject };
      const { baseUrl } = await startTinyServer(() => ({ body: { ...said.body, ...more } }));
      expect((await modelAt(baseUrl).chat(plainRequest, neverAborted)).content).toBe('done');
    },
  );

  test('a refused connection', async () => {
    const { baseUrl, close } = await startTinyServer(() => says('unheard'));
    await close();
    const failure = await failureAt(baseUrl, { max_retries: 1 });
    expect(failure).toMatchObject({
      cause: 'endpoint_refused',
      evidence: { code: 'ECONNREFUSED', attempts: 2 },
    });
  });

  test.each(['hang', 'stall'] as const)('no answer in time: %s', async (answer) => {
    const { baseUrl } = await startTinyServer(() => answer);
    // On a busy machine a request may not reach the server in this time.
    expect(await failureAt(baseUrl, { max_retries: 1, timeout_s: 0.1 })).toMatchObject({
      cause: 'endpoint_timeout',
      evidence: { attempts: 2 },
    });
  });
});

describe('retries', () => {
  test('an answer after faults is an answer', async () => {
    const { baseUrl } = await startTinyServer((_, count) =>
      count < 3 ? (['cut', rejects(500, 'x'), rejects(429, 'x')] as const)[count]! : says('done'),
    );
    expect((await modelAt(baseUrl).chat(plainRequest, neverAborted)).content).toBe('done');
  });

  test('Retry-After is obeyed up to the cap', async () => {
    const clock = stillClock();
    const slow = rejects(429, 'wait', null, { 'retry-after': '700' });
    const slower = rejects(429, 'wait', null, { 'retry-after': '20' });
    const { baseUrl } = await startTinyServer((_, count) => [slow, slower][count] ?? says('done'));
    await modelAt(baseUrl, {}, { clock }).chat(plainRequest, neverAborted);
    expect(clock.sleeps).toEqual([120_000, 20_000]);
  });

  test('a retry that waits leaves its slot to others', async () => {
    const release = Promise.withResolvers<void>();
    const { baseUrl } = await startTinyServer((request, count) =>
      JSON.stringify(request.body).includes('first') && count === 0 ? rejects(500, 'x') : says('done'),
    );
    const clock = { ...stillClock(), sleep: () => release.promise };
    const model = modelAt(baseUrl, { concurrency: 1 }, { clock });
    const ask = (text: string) =>
      model.chat({ messages: [{ role: 'user', content: text }], sampling: {} }, neverAborted);
    const first = ask('first');
    await expect(ask('second')).resolves.toMatchObject({ content: 'done' });
    release.resolve();
    await expect(first).resolves.toMatchObject({ content: 'done' });
  });

  test('no more requests are in flight than allowed', async () => {
    const all = Promise.withResolvers<void>();
    let asked = 0;
    const { baseUrl, load } = await startTinyServer(async () => {
      if (++asked === 3) all.resolve();
      await all.promise;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return says('done');
    });
    const model = modelAt(baseUrl, { concurrency: 3 });
    await Promise.all(Array.from({ length: 12 }, () => model.chat(plainRequest, neverAborted)));
    expect(load.most).toBe(3);
  });

  test('stopping rejects with the reason, and is no failure', async () => {
    const { baseUrl } = await startTinyServer(() => 'hang');
    const stop = new AbortController();
    const reason = new Error('stopped');
    const call = modelAt(baseUrl).chat(plainRequest, stop.signal);
    setTimeout(() => stop.abort(reason), 20);
    await expect(call).rejects.toBe(reason);
  });
});

describe('what is kept of an answer', () => {
  test('reasoning, usage, cost and tool calls', async () => {
    const call = { id: 'a', function: { name: 'code', arguments: { code: '1' } } };
    const { baseUrl } = await startTinyServer(() =>
      says('hi', { reasoning_content: 'hm', tool_calls: [call] }),
    );
    const price = { input_usd_per_million: 1, cached_input_usd_per_million: 0, output_usd_per_million: 10 };
    const answer = await modelAt(baseUrl, { price }).chat(plainRequest, neverAborted);
    expect(answer).toMatchObject({
      model: 'tiny-1',
      content: 'hi',
      reasoning: 'hm',
      usage: { prompt_tokens: 100, completion_tokens: 10, cached_tokens: 40 },
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'code', arguments: '{"code":"1"}' } }],
    });
    expect(answer.cost_usd).toBeCloseTo(160 / 1e6);
  });

  test('no count that no call can have, whatever the endpoint reports', async () => {
    let usage: unknown;
    const { baseUrl } = await startTinyServer(() => {
      const { body } = says('hi') as { body: object };
      return { body: { ...body, usage: usage as JsonObject } };
    });
    const model = modelAt(baseUrl);
    const number = fc.oneof(
      fc.constantFrom<JsonValue>(1e15, 1e16, 1e308, -1, 0.5, '7', null, 12),
      fc.integer({ max: Number.MAX_SAFE_INTEGER }),
    );
    const counts = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'cached_tokens'];
    const bill = fc.tuple(number, number, number, number).map((numbers) => {
      const [counted, cached_tokens] = [counts.slice(0, 3), numbers[3]];
      const flat = Object.fromEntries(counted.map((name, at) => [name, numbers[at]]));
      return { ...flat, prompt_tokens_details: { cached_tokens } };
    });
    const anything = fc.oneof(bill, number, fc.constantFrom([], 'none', { prompt_tokens_details: 'x' }));
    await fc.assert(
      fc.asyncProperty(anything, async (given) => {
        usage = given;
        const answer = await model.chat(plainRequest, neverAborted);
        expect(answer.content).toBe('hi');
        for (const count of Object.values(usageSchema.parse(answer.usage)))
          expect(Number.isSafeInteger(1e6 * count)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('the request hash knows neither address nor key', async () => {
    const { baseUrl, requests } = await startTinyServer(() => says('hi', { reasoning: 'hm' }));
    const other = await startTinyServer(() => says('hi'));
    const first = await modelAt(baseUrl).chat(plainRequest, neverAborted);
    const second = await modelAt(other.baseUrl, {}, { apiKey: 'another' }).chat(plainRequest, neverAborted);
    expect(first.request_hash).toBe(second.request_hash);
    expect(first.reasoning).toBe('hm');
    const warmer = { ...plainRequest, sampling: { temperature: 1 } };
    expect((await modelAt(baseUrl).chat(warmer, neverAborted)).request_hash).not.toBe(first.request_hash);
    expect(requests[0]!.headers.authorization).toBe('Bearer sk-secret-key');
  });
});
