import { expect, test } from 'vitest';
import { searchEndpoint } from '../../../tools/servers/searchEndpoint.ts';
import type { SerperResult } from '../../../tools/webSearch/cleanResults.ts';
import { QueryRefused } from '../../../tools/webSearch/searchProvider.ts';
import { openAtlasServers } from './support/openAtlasServers.ts';
import { postJson } from './support/postJson.ts';
import { serve } from './support/serve.ts';

/** As AFM's search tool sends it: a key that may be empty, and Serper's two members. */
const asAfm = { 'X-API-KEY': '', 'Content-Type': 'application/json' };

function serveSearch(search: (query: string, num: number) => readonly SerperResult[]) {
  return serve(searchEndpoint({ search: async (query, num) => search(query, num) }, 10));
}

test('a search of the atlas has what AFM reads: title, link, snippet; date and source where known', async () => {
  const { web_search } = await openAtlasServers();
  const { status, headers, json } = await postJson<{ organic: Record<string, string>[] }>(
    web_search.url,
    { q: 'lighthouse festival', num: 10, gl: 'us', hl: 'en', page: 1, type: 'search', autocorrect: true },
    asAfm,
  );
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(json.organic.length).toBeGreaterThan(3);
  for (const result of json.organic) {
    expect(result).toMatchObject({
      title: expect.stringMatching(/\S/),
      link: expect.stringMatching(/^http:\/\/atlas\.example\//),
      snippet: expect.stringMatching(/\S/),
    });
    for (const key of ['date', 'source']) if (key in result) expect(result[key]).toMatch(/\S/);
  }
  expect(json.organic.some((result) => 'date' in result)).toBe(true);
});

test('nothing found is an empty list, not a missing one', async () => {
  const { web_search } = await openAtlasServers();
  for (const q of ['zzzzqqqq', '?!', '😀']) {
    expect(await postJson(web_search.url, { q, num: 10 }, asAfm)).toMatchObject({
      status: 200,
      json: { organic: [] },
    });
  }
});

test('the query and the number reach the search as they were sent', async () => {
  const asked: [string, number][] = [];
  const { server } = await serveSearch((query, num) => {
    asked.push([query, num]);
    return [];
  });
  const queries = ['Käse "&<>" 東京 😀', '  spaces kept ', 'x'.repeat(10_000)];
  for (const q of queries) expect((await postJson(server.url, { q, num: 7 })).status).toBe(200);
  await postJson(server.url, { q: 'default' });
  await postJson(server.url, { q: 'null', num: null });
  await postJson(server.url, '{"q": "half \\ud83d of a pair"}');
  expect(asked).toEqual([
    ...queries.map((query): [string, number] => [query, 7]),
    ['default', 10],
    ['null', 10],
    ['half \ufffd of a pair', 10],
  ]);
});

test('no more results than asked for; what a result lacks is left out, but the snippet', async () => {
  const { server } = await serveSearch(() => [
    { title: 'A', link: 'http://a.example/', snippet: null, date: '', source: null },
    { title: 'B', link: 'http://b.example/', snippet: 'b', date: '2001', source: 'S' },
    { title: 'C', link: 'http://c.example/' },
  ]);
  expect((await postJson(server.url, { q: 'q', num: 2 })).json).toEqual({
    searchParameters: { q: 'q', num: 2, type: 'search' },
    organic: [
      { title: 'A', link: 'http://a.example/', snippet: '', position: 1 },
      { title: 'B', link: 'http://b.example/', snippet: 'b', date: '2001', source: 'S', position: 2 },
    ],
  });
});

test('a query that the service behind refuses is a bad request', async () => {
  const { server } = await serveSearch(() => {
    throw new QueryRefused('the query is too long for brave: 500 characters');
  });
  expect(await postJson(server.url, { q: 'a' })).toMatchObject({
    status: 400,
    json: { message: 'the query is too long for brave: 500 characters' },
  });
});
