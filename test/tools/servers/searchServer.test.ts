import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../../contract/errors.ts';
import { searchEndpoint } from '../../../tools/servers/searchEndpoint.ts';
import type { SerperResult } from '../../../tools/webSearch/cleanResults.ts';
import { QueryRefused } from '../../../tools/webSearch/searchProvider.ts';
import { openAtlasServers } from './support/openAtlasServers.ts';
import { postJson } from './support/postJson.ts';
import { serve } from './support/serve.ts';

/** As AFM's search tool sends it: a key that may be empty, and Serper's two members. */
const asAfm = { 'X-API-KEY': '', 'Content-Type': 'application/json' };

const limits = { defaultResults: 10, maxResults: 100 };

function serveSearch(search: (query: string, num: number) => readonly SerperResult[]) {
  return serve(searchEndpoint({ search: async (query, num) => search(query, num) }, limits));
}

test('a search of the atlas has what AFM reads: title, link, snippet; date and source where known', async () => {
  const { web_search } = await openAtlasServers();
  const { status, headers, json } = await postJson(
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
  expect(json.organic.some((result: object) => 'date' in result)).toBe(true);
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

describe('a bad request is told what is wrong with it', () => {
  test.each<[string, unknown, string]>([
    ['no query', {}, 'q: expected a text'],
    ['an empty query', { q: ' ' }, 'q: is empty'],
    ['a query of another type', { q: ['a'] }, 'q: expected a text'],
    ['a long query', { q: 'x'.repeat(10_001) }, 'q: is longer than 10000 characters'],
    ['no results', { q: 'a', num: 0 }, 'num: expected a whole number from 1 to 100'],
    ['too many results', { q: 'a', num: 101 }, 'num: expected a whole number from 1 to 100'],
    ['half a result', { q: 'a', num: 1.5 }, 'num: expected a whole number from 1 to 100'],
    ['a number as text', { q: 'a', num: '10' }, 'num: expected a whole number from 1 to 100'],
    ['a list', [{ q: 'a' }], 'the body: expected a JSON object'],
    ['null', 'null', 'the body: expected a JSON object'],
    ['no JSON', '{"q": "a"', 'the body is not JSON'],
  ])('%s', async (_name, body, message) => {
    const { server } = await serveSearch(() => []);
    const answer = await postJson(server.url, body, asAfm);
    expect(answer).toMatchObject({
      status: 400,
      json: { statusCode: 400, message: expect.stringContaining(message) },
    });
    expect(JSON.stringify(answer.json)).not.toMatch(/\.ts|node:/);
  });

  test('once, though it breaks two rules', async () => {
    const { server } = await serveSearch(() => []);
    expect((await postJson(server.url, '{"q": "a", "num": 9007199254740993}')).json.message).toBe(
      'num: expected a whole number from 1 to 100. Expected {"q": text, "num"?: 1 to 100}',
    );
  });

  test('by the service behind as well', async () => {
    const { server } = await serveSearch(() => {
      throw new QueryRefused('the query is too long for brave: 500 characters');
    });
    expect(await postJson(server.url, { q: 'a' })).toMatchObject({
      status: 400,
      json: { message: 'the query is too long for brave: 500 characters' },
    });
  });
});

test('a search service that failed is 502 in Serper’s shape', async () => {
  const { server } = await serveSearch(() => {
    throw new RecordFailure(
      'tool_unavailable',
      'web_search: the search service answered with HTTP status 500',
    );
  });
  expect(await postJson(server.url, { q: 'a' })).toMatchObject({
    status: 502,
    json: { statusCode: 502, message: expect.stringContaining('HTTP status 500') },
  });
});
