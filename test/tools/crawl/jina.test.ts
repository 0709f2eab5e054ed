import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../base/json.ts';
import { jinaKeyOf } from '../../../schemas/config/resolved/endpoints.ts';
import { crawlPageConfigSchema } from '../../../schemas/config/tools/crawlPage.ts';
import type { Resolve } from '../../../tools/fetch/createGuardedDispatcher.ts';
import { expectSourced } from '../../support/sourcedFigures.ts';
import { openPages, type PageLimits } from '../support/openPages.ts';
import { startHttpServer } from '../support/startHttpServer.ts';

const { signal } = new AbortController();
const page = 'https://site.example/kessa?year=1812';

/** Names of the open internet, and one that leads into a private network. */
const resolve: Resolve = async (host) => {
  if (host === 'gone.example') throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  return [{ address: host === 'inside.example' ? '10.0.0.5' : '93.184.215.14', family: 4 }];
};

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reader in Jina's form, and a service that reads pages through it. */
async function openReader(answers: readonly Answer[], limits: PageLimits = {}) {
  const asked: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
  const server = await startHttpServer((request, response) => {
    const { status = 200, body, headers } = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push(request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (body !== undefined) response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const jina = { baseUrl: server.baseUrl, apiKey: 'jina_secret', headers: { 'x-engine': 'browser' } };
  const pages = openPages({ resolve, jina, maxRetries: 1, ...limits });
  return { asked, server, read: (url = page) => pages.read([url], signal) };
}

const read = (data: object) => ({ body: { code: 200, status: 20000, data } });
const kessa = read({ title: 'Kessa', url: page, content: 'Ada Brun built it. [her](https://a.example/)' });

test('a page is asked of the reader, with its key, limits and manners, and shown as Markdown', async () => {
  const { asked, read: readPage } = await openReader([kessa]);
  expect(await readPage(`${page}#top`)).toMatchObject([
    {
      ok: true,
      text: '# Kessa\n\nAda Brun built it. [her](https://a.example/)',
      final_url: page,
      content_type: 'text/markdown',
      cut: false,
    },
  ]);
  expect(asked).toMatchObject([
    {
      url: `/${page}`,
      headers: {
        accept: 'application/json',
        authorization: 'Bearer jina_secret',
        'x-engine': 'browser',
        'x-max-tokens': '80000',
        'x-robots-txt': 'coa-distill',
      },
    },
  ]);
});

test.each<readonly [string, Answer, string]>([
  [
    'a page that the reader can not load',
    { status: 422, body: {} },
    "the reader can't read it (HTTP status 422)",
  ],
  [
    'an error page',
    read({ ...kessa.body.data, warning: 'Target URL returned error 404: Not Found' }),
    'HTTP status 404',
  ],
  ['an empty page', read({ title: '', content: '' }), 'it has no readable text'],
  ['too long an answer', read({ content: 'x'.repeat(2_000) }), "the reader's answer is too large"],
  // Whichever limit comes first.
  ['no answer in time', {}, expect.stringMatching(/^timed out/)],
])('%s is inaccessible', async (_, answer, reason) => {
  const { read: readPage } = await openReader([answer], { maxBytes: 1_500, timeoutMs: 700 });
  expect(await readPage()).toMatchObject([{ ok: false, reason }]);
});

test.each<[string, Answer]>([
  ['a wrong key', { status: 401, body: { message: 'jina_secret is wrong' } }],
  ['an account without balance', { status: 402, body: {} }],
  ['too many requests', { status: 429, body: {}, headers: { 'retry-after': '0' } }],
  ['a crash', { status: 500, body: {} }],
  ['another shape', { body: '<html>' }],
  [
    'a redirect, which is not followed',
    { status: 302, headers: { location: 'https://thief.example/' }, body: '' },
  ],
])('%s is a failure of the tool, and no page', async (_, answer) => {
  const { read: readPage, server } = await openReader([answer]);
  await expect(readPage()).rejects.toMatchObject({
    failure: { cause: 'tool_unavailable', evidence: { service: server.baseUrl } },
    message: expect.not.stringContaining('jina_secret'),
  });
});

test('a fault that passes is asked about again', async () => {
  const { asked, read: readPage } = await openReader([
    { status: 503, body: '', headers: { 'retry-after': '0' } },
    kessa,
  ]);
  expect(await readPage()).toMatchObject([{ ok: true }]);
  expect(asked).toHaveLength(2);
});

test.each([
  ['http://10.0.0.5/', 'its host has no public address'],
  ['http://[::1]:8080/', 'its host has no public address'],
  ['http://169.254.169.254/latest', 'its host has no public address'],
  ['https://inside.example/', 'its host has no public address'],
  ['http://site.example:22/', 'its port is not one of web sites'],
  ['https://gone.example/', 'unknown host'],
])('%s is not asked of the reader', async (url, reason) => {
  const { asked, read: readPage } = await openReader([kessa]);
  expect(await readPage(url)).toMatchObject([{ ok: false, reason }]);
  expect(asked).toEqual([]);
});

test("the settings that docs/crawling.md calls AFM's are its crawl server's", () => {
  const docs = readFileSync(new URL('../../../docs/crawling.md', import.meta.url), 'utf8');
  const block = [...docs.matchAll(/```yaml\n(.*?)```/gs)].find(([text]) => text.includes('X-Engine'))![1]!;
  const { crawl_page } = (parse(block) as { tools: { crawl_page: JsonObject } }).tools;
  const server = 'AFM/tool_servers/web_server/v2/crawl_page_server_v2.py';
  expectSourced(crawl_page, [
    ['max_tokens', 80_000, `${server}:69`],
    ['robots', 'ignore', `${server}:91-99`],
    ['jina.headers.X-Engine', 'browser', `${server}:93`],
    ['jina.headers.X-Return-Format', 'text', `${server}:94`],
    ['jina.headers.X-Remove-Selector', 'header, .class, #id', `${server}:95`],
    ['jina.headers.X-Timeout', '30', `${server}:96`],
    ['jina.headers.X-Retain-Images', 'none', `${server}:97`],
  ]);
  expect(crawlPageConfigSchema.safeParse(crawl_page).success).toBe(true);
});

test('the key is optional, unless its variable is named', () => {
  const jina = (settings: object) => crawlPageConfigSchema.parse({ jina: settings }).jina!;
  expect(jina({}).base_url).toBe('https://r.jina.ai');
  expect(jinaKeyOf(jina({}), {})).toBeUndefined();
  expect(jinaKeyOf(jina({}), { JINA_API_KEY: 'a' })).toBe('a');
  expect(jinaKeyOf(jina({ api_key_env: '' }), { JINA_API_KEY: 'a' })).toBeUndefined();
  expect(() => jinaKeyOf(jina({ api_key_env: 'MINE' }), { JINA_API_KEY: 'a' })).toThrow(/MINE is not set/);
  expect(() => jina({ headers: { Authorization: 'Bearer a' } })).toThrow(/X-Engine/);
});
