import type { IncomingMessage, RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../contract/errors.ts';
import { createWebSearchTool, webObservation } from '../../tools/webSearch/createWebSearchTool.ts';
import { KEY, openSearch } from './webSearch/support/openSearch.ts';

const { signal } = new AbortController();

async function toolAgainst(listener: RequestListener, timeoutMs = 20_000) {
  const { server, service } = await openSearch(listener, { timeoutMs });
  return { server, tool: createWebSearchTool({ service, provider: 'serper', num: 2 }) };
}

const answerWith =
  (body: string, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(body);

test('asks as Serper is asked, and shows what it answers', async () => {
  let seen: { request: IncomingMessage; body: unknown } | undefined;
  const organic = [
    {
      title: 'Kessa',
      link: 'http://a.example/k',
      snippet: 'An island.',
      date: '1999',
      source: 'Atlas',
      position: 1,
    },
    { title: 'Ada', link: 'http://a.example/a', snippet: null },
    { title: 'More', link: 'http://a.example/m', snippet: 'than asked for' },
  ];
  const { tool } = await toolAgainst(async (request, response) => {
    seen = { request, body: await json(request) };
    response.end(JSON.stringify({ credits: 1, organic }));
  });
  const { observation, raw } = await tool.call({ query: 'Kessa?' }, signal);
  expect(seen?.body).toEqual({ q: 'Kessa?', num: 2 });
  expect(seen?.request).toMatchObject({ method: 'POST', url: '/search' });
  expect(seen?.request.headers).toMatchObject({ 'x-api-key': KEY, 'content-type': 'application/json' });
  expect(observation).toBe(
    'Found 2 results:\n\n## Web Results\n' +
      '1. [Kessa](http://a.example/k)\nDate published: 1999\nSource: Atlas\nhttp://a.example/k\nAn island.\n\n' +
      '2. [Ada](http://a.example/a)\nhttp://a.example/a',
  );
  expect(raw).toMatchObject({
    provider: 'serper',
    query: 'Kessa?',
    num: 2,
    organic: [{ title: 'Kessa' }, { title: 'Ada' }],
  });
});

test('a key that the service repeats goes no further', async () => {
  const { tool } = await toolAgainst((request, response) => {
    const title = `you sent ${String(request.headers['x-api-key'])}`;
    response.end(JSON.stringify({ organic: [{ title, link: 'http://a.example/k', snippet: null }] }));
  });
  const result = await tool.call({ query: 'Kessa?' }, signal);
  expect(result.observation).toContain('you sent [key]');
  expect(JSON.stringify(result)).not.toContain(KEY);
});

test('no results are an observation', () => {
  expect(webObservation('Q', [])).toBe("No results found for query: 'Q'. Use a less specific query.");
});

describe('a service that fails is a failure with evidence and without the key', () => {
  test.each<[string, RequestListener, object]>([
    ['500', answerWith(`broken ${KEY}`, 500), { status: 500 }],
    ['403', answerWith('no', 403), { status: 403 }],
    ['another shape', answerWith('{"results": []}'), { error: expect.stringContaining('organic') }],
    ['no JSON', answerWith('<html>'), { error: expect.any(String) }],
    [
      'a cut answer',
      (_request, response) => void response.writeHead(200).write('{', () => response.destroy()),
      {},
    ],
    ['an endless answer', (_request, response) => endless(response), { max_bytes: expect.any(Number) }],
    [
      'a redirect',
      (_request, response) => void response.writeHead(302, { location: '/x' }).end(),
      { status: 302 },
    ],
  ])('%s', async (_name, listener, evidence) => {
    const { tool, server } = await toolAgainst(listener);
    const error = await tool.call({ query: 'q' }, signal).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RecordFailure);
    expect(error.failure).toMatchObject({
      cause: 'tool_unavailable',
      retryable: true,
      evidence: { tool: 'web_search', service: server.baseUrl, ...evidence },
    });
    expect(JSON.stringify(error.failure)).not.toContain(KEY);
  });

  test('no answer in time', async () => {
    const { tool } = await toolAgainst(() => {}, 50);
    await expect(tool.call({ query: 'q' }, signal)).rejects.toMatchObject({
      failure: { cause: 'tool_unavailable', evidence: { timeout_ms: 50 } },
    });
  });

  test('nobody there', async () => {
    const { tool, server } = await toolAgainst(() => {});
    await server.close();
    await expect(tool.call({ query: 'q' }, signal)).rejects.toMatchObject({
      failure: { cause: 'tool_unavailable', evidence: { error: 'ECONNREFUSED' } },
    });
  });
});

test('stopping the run is no failure of the service', async () => {
  const stop = new AbortController();
  const { tool } = await toolAgainst(() => stop.abort(new Error('stopped')));
  await expect(tool.call({ query: 'q' }, stop.signal)).rejects.toThrow('stopped');
});

function endless(response: Parameters<RequestListener>[1]): void {
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(100_000)));
  };
  response.on('drain', write);
  write();
}
