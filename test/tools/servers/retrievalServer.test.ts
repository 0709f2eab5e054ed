import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../../contract/errors.ts';
import { retrievalEndpoint } from '../../../tools/servers/retrievalEndpoint.ts';
import type { RetrievedPassage } from '../../../tools/wikiSearch/passage.ts';
import { openAtlasServers } from './support/openAtlasServers.ts';
import { postJson } from './support/postJson.ts';
import { serve } from './support/serve.ts';

const limits = { defaultTopK: 3, maxTopK: 100, maxQueries: 8 };
const passages = new Map(
  readFileSync(new URL('../../../examples/atlas/passages.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; contents: string })
    .map(({ id, contents }) => [id, contents]),
);

function serveRetrieval(retrieve: (queries: readonly string[], topK: number) => RetrievedPassage[][]) {
  return serve(retrievalEndpoint({ retrieve: async (queries, topK) => retrieve(queries, topK) }, limits));
}

test('passages of the atlas as AFM reads them: a list a query, in the order of the queries, best first', async () => {
  const { wiki_search } = await openAtlasServers();
  const queries = ['Lighthouse Picnic', 'Letters to a Lighthouse', 'zzzzqqqq', '?!', '東京 😀'];
  const { status, json } = await postJson(wiki_search.url, { queries, topk: 5, return_scores: true });
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(['result']);
  expect(json.result).toHaveLength(queries.length);
  expect(json.result.map((found: unknown[]) => found.length)).toEqual([5, 5, 0, 0, 0]);
  expect(json.result[0][0].document.id).toBe('lighthouse-picnic-1');
  for (const found of json.result) {
    for (const item of found) {
      expect(Object.keys(item)).toEqual(['document', 'score']);
      expect(Object.keys(item.document)).toEqual(['id', 'contents']);
      expect(item.document.contents).toBe(passages.get(item.document.id));
    }
    const scores = found.map(({ score }: { score: number }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  }
});

test('without return_scores the items are the documents', async () => {
  const { wiki_search } = await openAtlasServers();
  for (const extra of [{}, { return_scores: false }, { return_scores: null, unknown: [1] }]) {
    const { json } = await postJson(wiki_search.url, { queries: ['Lighthouse Picnic'], ...extra });
    expect(json.result[0]).toHaveLength(3);
    expect(json.result[0][0]).toEqual({
      id: 'lighthouse-picnic-1',
      contents: passages.get('lighthouse-picnic-1'),
    });
  }
});

test.each([1, 2, 17, 100])('topk %i gives as many', async (topk) => {
  const { wiki_search } = await openAtlasServers();
  const { json } = await postJson(wiki_search.url, { queries: ['the island of the sea'], topk });
  expect(json.result[0]).toHaveLength(topk);
});

test('queries and topk reach the index as they were sent; none asks for nothing', async () => {
  const asked: [readonly string[], number][] = [];
  const { server } = await serveRetrieval((queries, topK) => {
    asked.push([queries, topK]);
    return queries.map(() => []);
  });
  expect((await postJson(server.url, { queries: [] })).json).toEqual({ result: [] });
  const queries = ['', 'Käse "NEAR(" 😀', 'x'.repeat(10_000)];
  expect((await postJson(server.url, { queries, topk: null })).json).toEqual({ result: [[], [], []] });
  await postJson(server.url, '{"queries": ["half \\ud83d"], "topk": 9}');
  expect(asked).toEqual([
    [queries, 3],
    [['half \ufffd'], 9],
  ]);
});

describe('a bad request is told what is wrong with it', () => {
  test.each<[string, unknown, string]>([
    ['no queries', {}, 'queries: expected a list of texts'],
    ['a text', { queries: 'a' }, 'queries: expected a list of texts'],
    ['a number among them', { queries: ['a', 1] }, 'queries.1: expected a text'],
    ['too many', { queries: Array(9).fill('a') }, 'queries: has more than 8 texts'],
    ['a long one', { queries: ['a', 'x'.repeat(10_001)] }, 'queries.1: is longer than 10000 characters'],
    ['topk 0', { queries: ['a'], topk: 0 }, 'topk: expected a whole number from 1 to 100'],
    ['topk 101', { queries: ['a'], topk: 101 }, 'topk: expected a whole number from 1 to 100'],
    ['topk 1e99', '{"queries": ["a"], "topk": 1e99}', 'topk: expected a whole number from 1 to 100'],
    ['topk as text', { queries: ['a'], topk: '3' }, 'topk: expected a whole number from 1 to 100'],
    [
      'return_scores as text',
      { queries: ['a'], return_scores: 'yes' },
      'return_scores: expected true or false',
    ],
    ['a list', ['a'], 'the body: expected a JSON object'],
    ['no JSON', 'queries=a', 'the body is not JSON'],
  ])('%s', async (_name, body, message) => {
    const { server } = await serveRetrieval(() => []);
    const answer = await postJson(server.url, body);
    expect(answer).toMatchObject({ status: 400, json: { detail: expect.stringContaining(message) } });
    expect(JSON.stringify(answer.json)).not.toMatch(/\.ts|node:/);
  });

  test('and a thousand mistakes make no long answer', async () => {
    const { server } = await serve(
      retrievalEndpoint({ retrieve: async () => [] }, { ...limits, maxQueries: 5000 }),
    );
    const { json } = await postJson(server.url, { queries: Array(1000).fill(1) });
    expect(json.detail.length).toBeLessThan(500);
  });
});

test('an index that failed is 502 with what it is', async () => {
  const { server } = await serveRetrieval(() => {
    throw new RecordFailure('tool_unavailable', 'wiki_search: the passage index failed (disk I/O error)');
  });
  expect(await postJson(server.url, { queries: ['a'] })).toMatchObject({
    status: 502,
    json: { detail: 'wiki_search: the passage index failed (disk I/O error)' },
  });
});
