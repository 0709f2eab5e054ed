/** Our requests and what we read of answers, beside OpenAI's own client on the same server. */
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { createRedactor } from '../../../schemas/createRedactor.ts';
import { createEndpointCall } from '../../../teachers/client/createEndpointCall.ts';
import { createEndpointRegistry } from '../../../teachers/client/endpointCapabilities.ts';
import { RefusedRequest } from '../../../teachers/client/endpointFault.ts';
import { outgoingRequest } from '../../../teachers/client/outgoingRequest.ts';
import { startTinyServer, type TinyAnswer } from '../support/startTinyServer.ts';
import { neverAborted } from '../support/tinyModel.ts';

const answers: TinyAnswer[] = [];
const server = await startTinyServer(() => answers.at(-1)!);
const origin = new URL(server.baseUrl).origin;
const { dispatcher } = createEndpointRegistry().capabilitiesFor(
  { base_url: origin, structured_answers: 'auto', tool_calls: 'auto' } as never,
  'm',
);

beforeEach(() => {
  server.requests.length = 0;
});
afterAll(async () => {
  await server.close();
  await dispatcher.close();
});

interface Asked {
  readonly baseUrl?: string;
  readonly apiKey?: string | undefined;
  readonly path?: '/chat/completions' | '/embeddings';
}

/** What our client reads of an answer, before anything of it is checked. */
function ours(body: JsonObject, { baseUrl = server.baseUrl, apiKey, path }: Asked = {}): Promise<JsonValue> {
  const wire = { path: path ?? '/chat/completions', read: (answer: JsonValue) => ({ answer, usage: none }) };
  const redactor = createRedactor([]);
  const options = { wire, baseUrl, apiKey, redactor, dispatcher, recounted: () => {}, maxAnswerBytes: 1e6 };
  const call = createEndpointCall<{ answer: JsonValue; usage: typeof none }>(options);
  const limit = { expired: false };
  return call({
    request: outgoingRequest(body),
    requestId: 'r',
    timeoutMs: 60_000,
    leave: async () => {},
    limit,
    signal: neverAborted,
  }).then(({ answer }) => answer);
}
const none = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };

function theirs(
  body: JsonObject,
  { baseUrl = server.baseUrl, apiKey, path }: Asked = {},
): Promise<JsonValue> {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: apiKey ?? 'none', maxRetries: 0, logLevel: 'off' });
  const asked =
    path === '/embeddings'
      ? client.embeddings.create(body as never)
      : client.chat.completions.create(body as never);
  return asked as unknown as Promise<JsonValue>;
}

const completion = { id: 'c', choices: [{ index: 0, message: { role: 'assistant', content: 'ü 🙂' } }] };
const body = {
  model: 'm',
  messages: [{ role: 'user', content: 'ü 🙂 \ud800' }],
  temperature: 0.5,
  max_tokens: 7,
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
} as const;

describe('a request is the one of OpenAI’s client', () => {
  test.each<[string, Asked]>([
    ['a path', {}],
    ['a path that ends in a slash', { baseUrl: `${origin}/v1/` }],
    ['no path', { baseUrl: origin }],
    ['a query', { baseUrl: `${origin}/openai/deployments/m?api-version=2026-01-01&x=%20y` }],
    ['a key', { apiKey: 'sk-1' }],
    ['a key with a line feed behind it', { apiKey: 'sk-1\n' }],
    ['embeddings', { path: '/embeddings' }],
  ])('%s', async (_, asked) => {
    answers.push({ body: { ...completion, data: [] } });
    const sent = asked.path === '/embeddings' ? { ...body, encoding_format: 'float' } : body;
    await ours(sent, { ...asked, apiKey: asked.apiKey ?? 'none' });
    await theirs(sent, asked);
    const [own, their] = server.requests.map(({ path, headers, body: got }) => {
      const { authorization, accept, host } = headers;
      const named = { authorization, accept, host, type: headers['content-type'] };
      return { path: path.replaceAll('%20', '+'), named, got };
    });
    expect(own).toEqual(their);
  });

  test('no compressed answer is asked for', async () => {
    answers.push({ body: completion });
    await ours(body);
    expect(server.requests[0]!.headers['accept-encoding']).toBe('identity');
  });

  test('without a key none is sent', async () => {
    answers.push({ body: completion });
    await ours(body);
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization');
  });
});

describe('an answer is read as OpenAI’s client reads it', () => {
  test.each<[string, Exclude<TinyAnswer, string>]>([
    ['an object', { body: completion }],
    ['a mark of its byte order', { body: `\ufeff${JSON.stringify(completion)}` }],
    ['space around it', { body: ` \n${JSON.stringify(completion)}\n` }],
    ['201', { status: 201, body: completion }],
  ])('%s', async (_, answer) => {
    const type = { 'content-type': 'application/json' };
    answers.push({ ...answer, headers: type });
    const own = await ours(body);
    expect(own).toEqual(completion);
    expect(await theirs(body)).toEqual(own);
  });
});

/** Bodies in the shape that OpenAI documents, and near it. */
const errorBodies: readonly (JsonObject | string)[] = [
  { error: { message: 'no', type: 'invalid_request_error', param: null, code: 'bad' } },
  { error: { message: { detail: ['a'] }, code: 7 } },
  { error: { type: 'server_error' } },
  { error: 'in words' },
  { error: {} },
  { error: null, message: 'beside it', code: 'c' },
  { object: 'error', message: 'too long', code: 40303 },
  { detail: [{ loc: ['body'], msg: 'missing' }] },
  '[1]',
  '<html>bad gateway</html>',
  'plain words',
  '{"error": {"message": "cut',
  '',
];

describe('a refusal is the error of OpenAI’s client', () => {
  const statuses = [304, 307, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 529];

  test.each(statuses)('%i', async (status) => {
    for (const sent of status === 304 ? [''] : errorBodies) {
      answers.push({ status, headers: { 'retry-after': '3' }, body: sent });
      const own = await refusalOf(ours(body));
      const their = await refusalOf(theirs(body));
      expect(own).toBeInstanceOf(RefusedRequest);
      expect(their).toBeInstanceOf(APIError);
      expect(factsOf(own as RefusedRequest)).toEqual(factsOf(their as APIError));
      expect((own as RefusedRequest).retryAfter).toBe((their as APIError).headers?.get('retry-after'));
    }
  });

  test('a connection that breaks is no refusal', async () => {
    answers.push('cut');
    expect(await refusalOf(ours(body))).not.toBeInstanceOf(RefusedRequest);
    expect(await refusalOf(theirs(body))).not.toMatchObject({ status: expect.anything() });
  });
});

function factsOf({ status, message, code }: RefusedRequest | APIError) {
  return { status, message, code: code ?? undefined };
}

async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable('expected an error, got an answer'),
    (error: unknown) => error,
  );
}
