import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { Resources } from '../../../base/resources.ts';
import { type OpenToolsOptions, toolContext } from '../../../pipeline/compose/openTools.ts';
import { createSession } from '../../../pipeline/createSession.ts';
import { parseAllowedHost } from '../../../schemas/config/tools/allowedHost.ts';
import { crawlPageConfigSchema } from '../../../schemas/config/tools/crawlPage.ts';
import { toolsConfigSchema } from '../../../schemas/config/tools.ts';
import { openPageService } from '../../../tools/crawlPage/crawlPageRow.ts';
import { startHttpServer } from '../support/startHttpServer.ts';

const { signal } = new AbortController();
const resources = new Resources();
afterEach(() => resources.closeAll());

/** The service of a configuration, and the models that it asked for. */
async function open(
  crawl_page: object | ((baseUrl: string) => object),
  listener: Parameters<typeof startHttpServer>[0],
) {
  const server = await startHttpServer(listener);
  const asked: string[] = [];
  const models = {
    chatModel: async (section: string): Promise<never> => {
      asked.push(section);
      throw new Error('no model here');
    },
    embeddings: () => Promise.reject(new Error('none')),
  };
  const allow_hosts = [`127.0.0.1:${server.port}`];
  const own = typeof crawl_page === 'function' ? crawl_page(server.baseUrl) : crawl_page;
  const tools = toolsConfigSchema.parse({ crawl_page: { allow_hosts, ...own } });
  const options = { config: { tools }, models };
  const context = toolContext(options as unknown as OpenToolsOptions, createSession({ resources }));
  const service = await openPageService(tools.crawl_page!, context);
  const read = async (...paths: string[]) =>
    service.read(
      paths.map((path) => server.baseUrl + path),
      signal,
    );
  return { read, asked, server, service };
}

/** Has one page, `/x`. */
const only =
  (body: string): RequestListener =>
  (request, response) =>
    void response.writeHead(request.url === '/x' ? 200 : 404, { 'content-type': 'text/plain' }).end(body);

describe('a configured crawl_page', () => {
  test('reads what it is allowed to, as plain text, and asks no model', async () => {
    const { read, asked } = await open({}, only('text'));
    expect(await read('/x')).toMatchObject([{ ok: true, text: 'text' }]);
    expect(asked).toEqual([]);
    const none = await open({ allow_hosts: [] }, (_request, response) => void response.end('text'));
    expect(await none.read('/x')).toMatchObject([{ ok: false, reason: 'its host has no public address' }]);
    expect(none.server.connections()).toBe(0);
  });

  test('reads through the reader that it names', async () => {
    const headers: unknown[] = [];
    const { service } = await open(
      (base_url) => ({
        allow_hosts: [],
        jina: { base_url, api_key_env: '', headers: { 'X-Engine': 'curl' } },
      }),
      (request, response) => {
        headers.push([request.url, request.headers['x-engine'], request.headers.authorization]);
        response.end('{"data": {"content": "text"}}');
      },
    );
    expect(await service.read(['http://93.184.215.14/x'], signal)).toMatchObject([
      { ok: true, text: 'text' },
    ]);
    expect(headers).toEqual([['/http://93.184.215.14/x', 'curl', undefined]]);
  });

  test('counts tokens with the tokenizer', async () => {
    const words = 'The island of Kessa. '.repeat(50);
    const { read } = await open({ max_tokens: 10 }, only(words));
    const [page] = await read('/x');
    expect(page).toMatchObject({
      cut: true,
      text: expect.stringMatching(/^The island of Kessa\. The[^.]*\n\[The page/),
    });
  });

  test('asks the model of its summary, once there is a page', async () => {
    const { read, asked } = await open({ summary: { model: { model: 'reader' } } }, only('text'));
    expect(await read('/none')).toMatchObject([{ ok: false }]);
    expect(asked).toEqual([]);
    await expect(read('/x')).rejects.toThrow('no model here');
    expect(asked).toEqual(['crawl_page.summary.model']);
  });
});

describe('allow_hosts', () => {
  test.each([
    ['wiki.intranet:8080', { kind: 'host', host: 'wiki.intranet', port: 8080 }],
    ['LOCALHOST:80', { kind: 'host', host: 'localhost', port: 80 }],
    ['127.0.0.1:65535', { kind: 'host', host: '127.0.0.1', port: 65_535 }],
    ['[::1]:8080', { kind: 'host', host: '::1', port: 8080 }],
    ['[0:0:0:0:0:0:0:1]:8080', { kind: 'host', host: '::1', port: 8080 }],
    ['127.1:8080', { kind: 'host', host: '127.0.0.1', port: 8080 }],
    ['10.20.0.0/16', { kind: 'network', network: '10.20.0.0', prefix: 16 }],
    ['fd00::/8', { kind: 'network', network: 'fd00::', prefix: 8 }],
  ])('%s', (text, entry) => {
    expect(parseAllowedHost(text)).toEqual(entry);
  });

  test.each([
    '',
    'wiki',
    '127.0.0.1',
    'wiki:0',
    'wiki:65536',
    '1.2.3.4.5:80',
    '10.0.0.0/33',
    'fe80::1%eth0/64',
    '10.0.0/8',
    '::1:80',
    '[::1]',
    'a/b',
    'http://a:80',
    '*:80',
    '10.0.0.0/8/8',
    '[127.0.0.1]:80',
  ])('%j is refused with what is expected', (text) => {
    const parsed = crawlPageConfigSchema.safeParse({ allow_hosts: [text] });
    expect(parsed.error?.issues[0]).toMatchObject({
      path: ['allow_hosts', 0],
      message: expect.stringContaining('a host with its port'),
    });
  });
});
