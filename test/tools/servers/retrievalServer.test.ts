import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { retrievalEndpoint } from '../../../tools/servers/retrievalEndpoint.ts';
import type { RetrievedPassage } from '../../../tools/wikiSearch/passage.ts';
import { openAtlasServers } from './support/openAtlasServers.ts';
import { postJson } from './support/postJson.ts';
import { serve } from './support/serve.ts';

const passages = new Map(
  readFileSync(new URL('../../../examples/atlas/passages.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; contents: string })
    .map(({ id, contents }) => [id, contents]),
);

function serveRetrieval(retrieve: (queries: readonly string[], topK: number) => RetrievedPassage[][]) {
  return serve(retrievalEndpoint({ retrieve: async (queries, topK) => retrieve(queries, topK) }, 3));
}

interface Passage {
  readonly id: string;
  readonly contents: string;
}

interface Scored {
  readonly document: Passage;
  readonly score: number;
}

test('passages of the atlas as AFM reads them: a list a query, in the order of the queries, best first', async () => {
  const { wiki_search } = await openAtlasServers();
  const queries = ['Lighthouse Picnic', 'Letters to a Lighthouse', 'zzzzqqqq', '?!', '東京 😀'];
  const { status, json } = await postJson<{ result: Scored[][] }>(wiki_search.url, {
    queries,
    topk: 5,
    return_scores: true,
  });
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(['result']);
  expect(json.result).toHaveLength(queries.length);
  expect(json.result.map((found) => found.length)).toEqual([5, 5, 0, 0, 0]);
  expect(json.result[0]![0]!.document.id).toBe('lighthouse-picnic-1');
  for (const found of json.result) {
    for (const item of found) {
      expect(Object.keys(item)).toEqual(['document', 'score']);
      expect(Object.keys(item.document)).toEqual(['id', 'contents']);
      expect(item.document.contents).toBe(passages.get(item.document.id));
    }
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  }
});

test('without return_scores the items are the documents', async () => {
  const { wiki_search } = await openAtlasServers();
  for (const extra of [{}, { return_scores: false }, { return_scores: null, unknown: [1] }]) {
    const { json } = await postJson<{ result: Passage[][] }>(wiki_search.url, {
      queries: ['Lighthouse Picnic'],
      ...extra,
    });
    expect(json.result[0]).toHaveLength(3);
    expect(json.result[0]![0]).toEqual({
      id: 'lighthouse-picnic-1',
      contents: passages.get('lighthouse-picnic-1'),
    });
  }
});

test.each([1, 2, 17, 100])('topk %i gives as many', async (topk) => {
  const { wiki_search } = await openAtlasServers();
  const { json } = await postJson<{ result: Passage[][] }>(wiki_search.url, {
    queries: ['the island of the sea'],
    topk,
  });
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
