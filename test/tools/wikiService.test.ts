import { describe, expect, test } from 'vitest';
import { createServiceRetriever } from '../../tools/wikiSearch/createServiceRetriever.ts';
import { startTinyServer, type TinyAnswer } from '../teachers/support/startTinyServer.ts';

const never = new AbortController().signal;
const found = (id: string | number, score = 1) => ({ document: { id, contents: `"T"\n${id}` }, score });

async function openService(answer: TinyAnswer, apiKey?: string) {
  const server = await startTinyServer(() => answer);
  const url = new URL('/retrieve', server.baseUrl).href;
  return { server, retriever: createServiceRetriever({ url, timeoutMs: 60_000, ...(apiKey && { apiKey }) }) };
}

test('asks as AFM’s clients do and reads the passages', async () => {
  const { server, retriever } = await openService(
    { body: { result: [[found('a', 0.5), found(7, 0.25)], []], took_ms: 3 } },
    'secret-key',
  );
  expect(await retriever.retrieve(['one', 'two'], 2, never)).toEqual([
    [
      { id: 'a', contents: '"T"\na', score: 0.5 },
      { id: '7', contents: '"T"\n7', score: 0.25 },
    ],
    [],
  ]);
  expect(server.requests[0]).toMatchObject({
    path: '/retrieve',
    headers: { authorization: 'Bearer secret-key' },
    body: { queries: ['one', 'two'], topk: 2, return_scores: true },
  });
});

describe('a service that', () => {
  test.each<[string, TinyAnswer]>([
    ['answers with an error', { status: 500, body: { error: 'broken' } }],
    ['answers with text', { headers: { 'content-type': 'text/plain' }, body: 'hello' }],
    ['answers with another shape', { body: { result: [[{ id: 'a' }]] } }],
    ['answers for fewer queries', { body: { result: [] } }],
    ['gives documents without scores', { body: { result: [[{ document: { id: 'a', contents: 'x' } }]] } }],
    ['cuts the connection', 'cut'],
  ])('%s is at fault, not the agent', async (_what, answer) => {
    const { retriever } = await openService(answer);
    await expect(retriever.retrieve(['one'], 3, never)).rejects.toMatchObject({
      failure: { cause: 'tool_unavailable', message: expect.stringContaining('wiki_search: the service') },
    });
  });

  test('sends more than asked for is cut', async () => {
    const { retriever } = await openService({ body: { result: [[found('a'), found('b'), found('c')]] } });
    expect((await retriever.retrieve(['one'], 2, never))[0]).toHaveLength(2);
  });
});
