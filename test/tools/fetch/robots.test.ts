import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRobots } from '../../../tools/fetch/createRobotsGate.ts';
import { page, politeCrawler } from '../crawl/support/crawlOne.ts';
import { openPages } from '../support/openPages.ts';
import { startHttpServer } from '../support/startHttpServer.ts';

const { signal } = new AbortController();

describe('robots.txt', () => {
  const site =
    (robots: { status?: number; body?: string }): RequestListener =>
    (request, response) => {
      if (request.url !== '/robots.txt') return page('a page')(request, response);
      response.writeHead(robots.status ?? 200, { 'content-type': 'text/plain' }).end(robots.body ?? '');
    };
  const forbidden = { ok: false, reason: 'its robots.txt forbids it' };

  test('is asked for once and obeyed', async () => {
    const { read, asked } = await politeCrawler(site({ body: 'User-agent: *\nDisallow: /private' }));
    expect(await read('/private/x')).toMatchObject([forbidden]);
    expect(await read('/public', '/private')).toMatchObject([{ ok: true, text: 'a page' }, forbidden]);
    expect(asked()).toEqual(['/robots.txt', '/public']);
  });

  test('can be ignored', async () => {
    const { read, asked } = await politeCrawler(site({ body: 'User-agent: *\nDisallow: /' }), {
      robots: 'ignore',
    });
    expect(await read('/x')).toMatchObject([{ ok: true }]);
    expect(asked()).toEqual(['/x']);
  });

  test('knows us by our name, which every request tells', async () => {
    const body = 'User-agent: *\nDisallow:\n\nUser-agent: my-bot\nDisallow: /x';
    const { read, requests } = await politeCrawler(site({ body }), {
      userAgent: 'my-bot/2.0 (+http://a.example)',
    });
    expect(await read('/x')).toMatchObject([forbidden]);
    expect(requests[0]!.headers['user-agent']).toBe('my-bot/2.0 (+http://a.example)');
  });

  test('that is missing allows everything, that fails nothing', async () => {
    const missing = await politeCrawler(site({ status: 404 }));
    expect(await missing.read('/x')).toMatchObject([{ ok: true }]);
    const failing = await politeCrawler(site({ status: 500 }));
    const unread = { ok: false, reason: expect.stringContaining("robots.txt can't be read") };
    expect(await failing.read('/x')).toMatchObject([unread]);
    const { server, read } = await politeCrawler(page('a page'));
    await server.close();
    expect(await read('/x')).toMatchObject([unread]);
  });

  test('is obeyed as far as its patterns are of a bearable size together', () => {
    const rules = parseRobots(
      `User-agent: *\nDisallow: /a\nDisallow: /*${'x'.repeat(70_000)}\nDisallow: /b`,
      'x',
    );
    expect(['/a', '/b'].map((path) => rules.allows(path))).toEqual([false, true]);
  });

  test('is obeyed where a page redirects to', async () => {
    const target = await startHttpServer((request, response) =>
      request.url === '/robots.txt'
        ? void response.end('User-agent: *\nDisallow: /')
        : void response.end('<p>secret</p>'),
    );
    const { server, requests } = await politeCrawler((request, response) =>
      request.url === '/robots.txt'
        ? void response.writeHead(404).end()
        : void response.writeHead(302, { location: `${target.baseUrl}/x` }).end(),
    );
    const pages = openPages({
      allowedHosts: [server, target].map(({ port }) => ({ kind: 'host', host: '127.0.0.1', port })),
    });
    expect(await pages.read([`${server.baseUrl}/go`], signal)).toMatchObject([forbidden]);
    expect(requests).toHaveLength(2);
  });

  test.each<[string, Record<string, boolean>]>([
    ['User-agent: *\nDisallow: /a\nAllow: /a/b', { '/a': false, '/a/b/c': true, '/b': true }],
    ['User-agent: *\nDisallow: /*.pdf$', { '/x.pdf': false, '/x.pdf?y': true, '/pdf': true }],
    ['User-agent: *\nDisallow: /*/x/*z', { '/a/x/yz': false, '/x/z': true }],
    ['User-agent: *\nDisallow: /a\nAllow: /a', { '/a': true }],
    ['User-agent: other\nDisallow: /', { '/': true }],
    [
      'User-agent: other\nUser-agent: US\nDisallow: /x\n\nUser-agent: *\nDisallow: /',
      { '/x': false, '/y': true },
    ],
    ['User-agent: us/1.0\nDisallow: /x', { '/x': false }],
    ['user-agent : *\r\ndisallow: /ä # umlaut', { '/%C3%A4': false }],
    ['User-agent: *\nDisallow:\n', { '/': true }],
    ['Disallow: /\n<html>not found</html>', { '/': true }],
    ['User-agent: *\nDisallow: /$', { '/': false, '/x': true }],
  ])('%j', (robots, paths) => {
    const rules = parseRobots(robots, 'us');
    for (const [path, allowed] of Object.entries(paths))
      expect([path, rules.allows(path)]).toEqual([path, allowed]);
  });

  test('without stars, a rule is for what begins with it', () => {
    const path = fc.stringMatching(/^\/[a-z/]{0,8}$/);
    fc.assert(
      fc.property(path, path, (pattern, asked) => {
        const rules = parseRobots(`User-agent: *\nDisallow: ${pattern}`, 'us');
        expect(rules.allows(asked)).toBe(!asked.startsWith(pattern));
      }),
    );
  });
});
