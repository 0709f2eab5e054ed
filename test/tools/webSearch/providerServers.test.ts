import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../../contract/errors.ts';
import { QueryRefused } from '../../../tools/webSearch/searchProvider.ts';
import { KEY, openSearch } from './support/openSearch.ts';
import { answers } from './support/recordedAnswers.ts';

const { signal } = new AbortController();

/** An answer of a played service: a status, a JSON body, headers. */
type Played = readonly [status: number, body?: unknown, headers?: Record<string, string>];

/** A service that gives answers in turn, the last one again and again. */
function playing(...turns: readonly Played[]) {
  let asked = 0;
  const listener = (_request: IncomingMessage, response: ServerResponse) => {
    const [status, body = {}, headers] = turns[Math.min(asked, turns.length - 1)]!;
    asked += 1;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
  return { listener, asked: () => asked };
}

const providers = ['serper', 'searxng', 'brave', 'tavily'] as const;

describe.each(providers)('%s', (provider) => {
  test('is asked as it wants to be, with its key, and its answer is read', async () => {
    const seen: { request: IncomingMessage; body: unknown }[] = [];
    const { service } = await openSearch(
      async (request, response) => {
        seen.push({ request, body: request.method === 'POST' ? await json(request) : undefined });
        response.end(JSON.stringify(answers[provider]));
      },
      { provider },
    );
    const results = await service.search('Kessa & Ada', 1, signal);
    expect(results).toEqual([expect.objectContaining({ link: 'https://atlas.example/kessa' })]);
    const { request, body } = seen[0]!;
    const keyHeader = { serper: 'x-api-key', brave: 'x-subscription-token' }[provider as string];
    expect(request.headers[keyHeader ?? 'authorization']).toBe(keyHeader ? KEY : `Bearer ${KEY}`);
    const url = new URL(request.url!, 'http://a.example');
    expect({ path: url.pathname, ...Object.fromEntries(url.searchParams), ...(body as object) }).toEqual(
      {
        serper: { path: '/search', q: 'Kessa & Ada', num: 1 },
        searxng: { path: '/search', q: 'Kessa & Ada', format: 'json' },
        brave: { path: '/res/v1/web/search', q: 'Kessa & Ada', count: '1', result_filter: 'web' },
        tavily: { path: '/search', query: 'Kessa & Ada', max_results: 1 },
      }[provider],
    );
  });

  test('is never asked for more than it gives', async () => {
    const asked: number[] = [];
    const { service } = await openSearch(
      async (request, response) => {
        const body = (request.method === 'POST' ? await json(request) : {}) as Record<string, number>;
        const { searchParams } = new URL(request.url!, 'http://a.example');
        asked.push(Number(body.num ?? body.max_results ?? searchParams.get('count') ?? 100));
        response.end(JSON.stringify(answers[provider]));
      },
      { provider },
    );
    await service.search('q', 100, signal);
    expect(asked).toEqual([provider === 'brave' || provider === 'tavily' ? 20 : 100]);
  });

  test('is asked again after 429, 5xx and a broken connection, as late as it wants', async () => {
    const { listener, asked } = playing(
      [429, {}, { 'retry-after': '7' }],
      [503],
      [500],
      [200, answers[provider]],
    );
    const { service, clock } = await openSearch(listener, { provider, maxRetries: 4 });
    expect(await service.search('q', 10, signal)).toHaveLength(2);
    expect(asked()).toBe(4);
    expect(clock.sleeps[0]).toBe(7000);
    for (const ms of clock.sleeps.slice(1)) expect(ms).toBeLessThanOrEqual(2000);
  });

  test.each([401, 402, 403, 404])('is asked once when it answers %i', async (status) => {
    const { listener, asked } = playing([status, { message: `no, ${KEY}` }]);
    const { service } = await openSearch(listener, { provider, maxRetries: 4 });
    const error = await service.search('q', 10, signal).catch((thrown) => thrown);
    expect(asked()).toBe(1);
    expect(error).toBeInstanceOf(RecordFailure);
    expect(error.failure).toMatchObject({
      cause: 'tool_unavailable',
      evidence: { tool: 'web_search', provider, status, attempts: 1 },
    });
    expect(JSON.stringify(error.failure)).not.toContain(KEY);
  });

  test('gives up after its retries, and says how often it asked', async () => {
    const { listener, asked } = playing([500, { message: 'broken' }]);
    const { service } = await openSearch(listener, { provider, maxRetries: 2 });
    await expect(service.search('q', 10, signal)).rejects.toMatchObject({
      failure: { cause: 'tool_unavailable', evidence: { status: 500, attempts: 3 } },
    });
    expect(asked()).toBe(3);
  });

  test.each([
    ['no JSON', '<html>', true],
    ['another shape', '{"results": 1, "web": 1}', false],
  ])('that answers with %s has failed', async (_name, body, isRetried) => {
    let asked = 0;
    const { service } = await openSearch(
      (_request, response) => {
        asked += 1;
        response.end(body);
      },
      { provider, maxRetries: 1 },
    );
    await expect(service.search('q', 10, signal)).rejects.toMatchObject({
      failure: { cause: 'tool_unavailable', evidence: { provider } },
    });
    expect(asked).toBe(isRetried ? 2 : 1);
  });
});

describe('errors that providers document', () => {
  const failing: [provider: (typeof providers)[number], played: Played, words: RegExp][] = [
    ['serper', [400, { message: 'Not enough credits', statusCode: 400 }], /400 \(Not enough credits\)/],
    ['serper', [403, { message: 'Unauthorized.', statusCode: 403 }], /403 \(Unauthorized\.\)/],
    ['searxng', [403, 'Forbidden'], /403 \(the instance must allow JSON/],
    [
      'brave',
      [422, { error: { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: `The token ${KEY} is invalid.` } }],
      /422 \(SUBSCRIPTION_TOKEN_INVALID: The token \[key\] is invalid\.\)/,
    ],
    [
      'brave',
      [429, { error: { code: 'QUOTA_LIMITED', detail: 'Spent.' } }],
      /429 \(QUOTA_LIMITED: Spent\.\)/,
    ],
    ['tavily', [401, { detail: { error: 'Unauthorized: invalid API key.' } }], /401 \(Unauthorized/],
    ['tavily', [432, { detail: { error: "exceeds your plan's limit" } }], /432 \(exceeds/],
    ['tavily', [433, { detail: { error: 'exceeds the pay-as-you-go limit' } }], /433 \(exceeds/],
  ];
  test.each(failing)('%s: %j is not asked again', async (provider, played, words) => {
    const { listener, asked } = playing(played);
    const { service } = await openSearch(listener, { provider, maxRetries: 3 });
    await expect(service.search('q', 10, signal)).rejects.toThrow(words);
    expect(asked()).toBe(1);
  });

  const refusing: [provider: (typeof providers)[number], played: Played][] = [
    ['serper', [400, { message: 'Query not allowed.', statusCode: 400 }]],
    ['searxng', [400, 'no query']],
    ['brave', [422, { error: { code: 'VALIDATION', meta: { errors: [{ loc: ['query', 'q'] }] } } }]],
    ['tavily', [400, { detail: { error: 'Query is too long.' } }]],
  ];
  test.each(refusing)('%s: %j is the mistake of whoever asked', async (provider, played) => {
    const { listener, asked } = playing(played);
    const { service } = await openSearch(listener, { provider, maxRetries: 3 });
    await expect(service.search('q', 10, signal)).rejects.toBeInstanceOf(QueryRefused);
    expect(asked()).toBe(1);
  });

  test('Brave names the wait of its limit in a header of its own', async () => {
    const limit = { 'x-ratelimit-reset': '3, 1419704' };
    const { listener } = playing([429, { error: { code: 'RATE_LIMITED' } }, limit], [200, answers.brave]);
    const { service, clock } = await openSearch(listener, { provider: 'brave', maxRetries: 1 });
    await service.search('q', 10, signal);
    expect(clock.sleeps).toEqual([3000]);
  });

  test('a query that is too long is not sent', async () => {
    const { listener, asked } = playing([200, answers.brave]);
    const { service } = await openSearch(listener, { provider: 'brave' });
    await expect(service.search('x'.repeat(500), 10, signal)).rejects.toThrow(/takes at most 400/);
    expect(asked()).toBe(0);
  });
});
