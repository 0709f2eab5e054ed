import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createCrawlPageTool } from '../../tools/crawlPage/createCrawlPageTool.ts';
import { addressKind } from '../../tools/fetch/allowedHosts.ts';
import { openPages, type PageLimits } from './support/openPages.ts';
import { startHttpServer } from './support/startHttpServer.ts';

const { signal } = new AbortController();

/** A crawl tool for which `site.example` is a server of the test's own. */
async function crawler(listener: RequestListener, limits: PageLimits = {}) {
  const server = await startHttpServer(listener);
  const service = openPages({ hostOverrides: new Map([['site.example', server]]), ...limits });
  const tool = createCrawlPageTool(service);
  const see = async (...urls: string[]) => (await tool.call({ urls }, signal)).observation;
  return { server, tool, see };
}

const pages =
  (byPath: Record<string, string | Buffer>, headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    const body = byPath[request.url!];
    if (body === undefined) response.writeHead(404).end('<p>gone</p>');
    else response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body);
  };

describe('the observation', () => {
  test('holds the pages in the order of the URLs, a missing one in its place', async () => {
    const { see } = await crawler(
      pages({
        '/a': '<html><head><title>Kessa</title></head><body><p>By <a href="/b">Ada</a>.</p></body></html>',
        '/b': '<title>Ada</title><p>Born 1812.',
      }),
    );
    expect(await see('http://site.example/a', 'http://site.example/none', 'http://site.example/b')).toBe(
      'Page 1 [http://site.example/a] Summary:\n# Kessa\n\nBy [Ada](http://site.example/b).\n\n' +
        'Page 2 [http://site.example/none]: [Page content not accessible: HTTP status 404]\n\n' +
        'Page 3 [http://site.example/b] Summary:\n# Ada\n\nBorn 1812.',
    );
  });

  test('says of a page that it has no text', async () => {
    const empty = await crawler(pages({ '/x': '<html><body><script>1</script></body></html>' }));
    expect(await empty.see('http://site.example/x')).toContain('not accessible: it has no readable text');
  });

  test('cuts a long page, in characters and in bytes, with a notice', async () => {
    const body = '😀'.repeat(3000);
    const notice = '\n[The page is longer; this is its beginning.]';
    const chars = await crawler(pages({ '/x': body }, { 'content-type': 'text/plain' }), { maxChars: 10 });
    expect(await chars.see('http://site.example/x')).toMatch(`Summary:\n${'😀'.repeat(10)}${notice}`);
    const bytes = await crawler(pages({ '/x': body }, { 'content-type': 'text/plain' }), { maxBytes: 40 });
    expect(await bytes.see('http://site.example/x')).toMatch(`Summary:\n${'😀'.repeat(10)}${notice}`);
  });
});

describe('what the trace keeps', () => {
  const url = 'http://site.example/x';

  test('of a page that is shown cut is its text as it came, the address it came from and what it is', async () => {
    const { tool } = await crawler(pages({ '/x': 'x'.repeat(500) }, { 'content-type': 'text/plain' }), {
      maxChars: 100,
    });
    const { raw } = await tool.call({ urls: [url] }, signal);
    const page = {
      url,
      ok: true,
      text: 'x'.repeat(500),
      final_url: url,
      content_type: 'text/plain',
      cut: false,
    };
    expect(raw).toEqual([page]);
  });

  test('has a bound', async () => {
    const { tool } = await crawler(pages({ '/x': 'x'.repeat(500_000) }, { 'content-type': 'text/plain' }));
    const { raw } = await tool.call({ urls: [url] }, signal);
    expect(raw).toMatchObject([{ text: 'x'.repeat(20_000), cut: true }]);
  });
});

describe('limits', () => {
  test('redirects are followed, but not for ever', async () => {
    const { see } = await crawler((request, response) => {
      const hops = Number(request.url!.slice(1));
      if (hops === 0) response.end('<p>arrived</p>');
      else response.writeHead(302, { location: request.url === '/99' ? '/99' : `/${hops - 1}` }).end();
    });
    expect(await see('http://site.example/5')).toContain('arrived');
    expect(await see('http://site.example/99')).toContain('not accessible: too many redirects');
  });

  test.each([
    ['a user name', 'http://me:secret@site.example/page', 'its address holds a user name or password'],
    ['an endless address', `/${'a'.repeat(9000)}`, 'it redirects to no web page'],
    ['another protocol', 'ftp://site.example/page', 'it redirects to no web page'],
    ['a file', 'file:///etc/passwd', 'it redirects to no web page'],
  ])('redirects to %s are not followed', async (_, location, reason) => {
    const { see } = await crawler((request, response) => {
      if (request.url === '/') response.writeHead(302, { location }).end();
      else response.end('<p>arrived</p>');
    });
    expect(await see('http://site.example/')).toContain(`[Page content not accessible: ${reason}]`);
  });

  test('a page that takes too long to read is said to be, and the next one is read', async () => {
    const { see } = await crawler(pages({ '/deep': '<div>'.repeat(100_000), '/x': '<p>fine</p>' }), {
      timeoutMs: 5_000,
    });
    expect(await see('http://site.example/deep', 'http://site.example/x')).toBe(
      'Page 1 [http://site.example/deep]: [Page content not accessible: its HTML is too complex]\n\n' +
        'Page 2 [http://site.example/x] Summary:\nfine',
    );
  });
});

describe('our own server', () => {
  const unavailable = { failure: { cause: 'tool_unavailable', evidence: { host: 'site.example' } } };

  test('that is not there is a failure, not an observation', async () => {
    const { server, see } = await crawler(pages({}));
    await server.close();
    await expect(see('http://site.example/a')).rejects.toMatchObject(unavailable);
  });

  test('that breaks or hangs is a failure too', async () => {
    const broken = await crawler((_request, response) => void response.writeHead(500).end());
    await expect(broken.see('http://site.example/a')).rejects.toMatchObject(unavailable);
    const hanging = await crawler(() => {}, { timeoutMs: 50 });
    await expect(hanging.see('http://site.example/a')).rejects.toMatchObject(unavailable);
  });

  test('is not the one to blame when another port of its name does not answer', async () => {
    const { server, see } = await crawler(pages({}), {
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      allowedHosts: [{ kind: 'network', network: '127.0.0.0', prefix: 8 }],
      robots: 'ignore',
      maxRetries: 0,
    });
    await server.close();
    expect(await see(`http://site.example:${server.port}/a`)).toContain('not accessible: connection failed');
  });

  test('is reached by its name on the default port only', async () => {
    const { server, see } = await crawler(pages({ '/a': '<p>ours</p>' }));
    expect(await see(`http://site.example:${server.port}/a`)).toContain('not accessible');
    expect(server.connections()).toBe(0);
  });
});

test('stopping the run ends a fetch', async () => {
  const stop = new AbortController();
  const { tool } = await crawler(() => stop.abort(new Error('stopped')));
  await expect(tool.call({ urls: ['http://site.example/'] }, stop.signal)).rejects.toThrow('stopped');
});

describe('an address', () => {
  test.each(['8.8.8.8', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '2001:4860:4860::8888'])(
    '%s is public',
    (address) => {
      expect(addressKind(address)).toBe('public');
    },
  );

  test.each(
    (
      '0.1.2.3 10.1.2.3 100.64.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.168.1.1 198.19.0.1 ' +
      '203.0.113.9 224.0.0.1 255.255.255.255 :: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::7f00:1 fc00::1 fe80::1 ' +
      'fe80::1%eth0 ff02::1 2001::1 2001:db8::1 2002:7f00:1:: nonsense'
    ).split(' '),
  )('%s is not', (address) => {
    expect(addressKind(address)).not.toBe('public');
  });
});

test('the tool hands them on plain, and says what it takes', async () => {
  const { tool } = await crawler(pages({}));
  expect(tool.parseInput({ urls: ['[A](http://a.example/)'] })).toEqual({
    ok: true,
    input: { urls: ['http://a.example/'] },
  });
  const many = Array.from({ length: 11 }, () => 'http://a.example');
  for (const wrong of [
    {},
    { urls: [] },
    { urls: 'http://a' },
    { url: 'x' },
    { urls: many },
    { urls: ['x'] },
    { urls: [many.join('|')] },
  ]) {
    expect(tool.parseInput(wrong)).toMatchObject({
      ok: false,
      error: expect.stringContaining('Expected {"urls"'),
    });
  }
});
