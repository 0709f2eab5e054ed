import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../contract/errors.ts';
import { type CustomToolOptions, createCustomTool } from '../../tools/custom/createCustomTool.ts';
import { startHttpServer } from './support/startHttpServer.ts';

const never = new AbortController().signal;

async function toolAt(listener: RequestListener, more: Partial<CustomToolOptions> = {}) {
  const server = await startHttpServer(listener);
  const url = `${server.baseUrl}/ask?token=secret`;
  const limits = { timeoutMs: 60_000, maxBytes: 1_000, maxChars: 100 };
  return createCustomTool({ name: 'look_up', description: 'Looks up.', url, ...limits, ...more });
}

const answering =
  (type: string, body: string): RequestListener =>
  (_, response) => {
    response.setHeader('content-type', type);
    response.end(body);
  };

describe('the answer becomes the observation', () => {
  test.each([
    ['text/plain', 'A lamp.', 'A lamp.'],
    ['text/html', '{"a":1}', '{"a":1}'],
    ['application/json', '"A lamp."', 'A lamp.'],
    ['application/json; charset=utf-8', '{"price": 40}', '{"price": 40}'],
    ['application/problem+json', '[1]', '[1]'],
    ['text/plain', ' \n', '(the tool answered with nothing)'],
    ['text/plain', 'x'.repeat(101), `${'x'.repeat(100)}\n[cut off: the answer has 101 characters]`],
  ])('%s %j', async (type, body, observation) => {
    const tool = await toolAt(answering(type, body));
    expect((await tool.call({ query: 'lamp' }, never)).observation).toBe(observation);
  });
});

test('a limit of parts of a millisecond is taken: 16.1 s are 16100.000000000002 ms', async () => {
  const tool = await toolAt(answering('text/plain', 'A lamp.'), { timeoutMs: 16.1 * 1000 });
  expect((await tool.call({ query: 'lamp' }, never)).observation).toBe('A lamp.');
});

test('the input goes out as JSON, with the key where there is one', async () => {
  let seen: object = {};
  const listener: RequestListener = async (request, response) => {
    const body = await text(request);
    const { method, url, headers } = request;
    seen = { method, url, type: headers['content-type'], key: headers.authorization, body };
    response.end('ok');
  };
  const tool = await toolAt(listener, { apiKey: 'k1' });
  await tool.call({ query: 'lamp' }, never);
  expect(seen).toEqual({
    method: 'POST',
    url: '/ask?token=secret',
    type: 'application/json',
    key: 'Bearer k1',
    body: '{"query":"lamp"}',
  });
});

test.each(['text/plain', 'application/json'])(
  'a key that the service repeats in %s goes no further',
  async (type) => {
    const apiKey = 'sk-secret-key-0123456789';
    const listener: RequestListener = ({ headers }, response) => {
      response.setHeader('content-type', type);
      response.end(JSON.stringify({ headers }));
    };
    const tool = await toolAt(listener, { apiKey, maxChars: 1000 });
    const result = await tool.call({ query: 'lamp' }, never);
    expect(result.observation).toContain('Bearer [key]');
    expect(JSON.stringify(result)).not.toContain(apiKey);
  },
);

describe('what the service does wrong is a failure of the tool, and shows no key', () => {
  test.each<[string, RequestListener, Partial<CustomToolOptions>, RegExp]>([
    ['an error', (_, response) => response.writeHead(500).end('no'), {}, /HTTP status 500/],
    ['no JSON', answering('application/json', '{'), {}, /answers with JSON, and does not/],
    ['too long an answer', answering('text/plain', 'x'.repeat(2_000)), {}, /could not be asked/],
    ['no answer', () => undefined, { timeoutMs: 50 }, /did not answer in time/],
    ['a broken connection', (request) => request.socket.destroy(), {}, /could not be asked/],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      {},
      /answered with HTTP status 302/,
    ],
  ])('%s', async (_title, listener, more, message) => {
    const tool = await toolAt(listener, more);
    const error = await tool.call({ query: 'lamp' }, never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RecordFailure);
    const { failure } = error as RecordFailure;
    expect(failure).toMatchObject({ cause: 'tool_unavailable', retryable: true });
    expect(failure.message).toMatch(message);
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  test('a stop is a stop', async () => {
    const stop = new AbortController();
    const tool = await toolAt(() => stop.abort(new Error('stopped')));
    await expect(tool.call({ query: 'lamp' }, stop.signal)).rejects.toThrow('stopped');
  });
});

test('inputs are checked against the schema, and the model is told what is wrong', async () => {
  const inputSchema = {
    type: 'object',
    properties: { a: { type: 'string' }, n: { type: 'integer', minimum: 1 } },
    required: ['a'],
    additionalProperties: false,
  };
  const tool = await toolAt(answering('text/plain', ''), { inputSchema });
  expect(tool.definition.parameters).toEqual(inputSchema);
  expect(tool.parseInput({ a: 'x', n: 2 })).toEqual({ ok: true, input: { a: 'x', n: 2 } });
  for (const wrong of [{}, { a: 1 }, { a: 'x', n: 0 }, { a: 'x', b: 1 }, 'x', null]) {
    expect(tool.parseInput(wrong)).toMatchObject({
      ok: false,
      error: expect.stringContaining('Expected an object'),
    });
  }
  const plain = await toolAt(answering('text/plain', ''));
  expect(plain.parseInput({ query: 'lamp' })).toEqual({ ok: true, input: { query: 'lamp' } });
  expect(plain.parseInput({ q: 'lamp' }).ok).toBe(false);
});
