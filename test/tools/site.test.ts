import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { htmlToWords } from '../../tools/crawlPage/htmlToText.ts';
import { type SiteServer, startSiteServer } from '../../tools/site/startSiteServer.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';

const root = sharedFolder();
const folder = path.join(root, 'pages');
const page = (title: string, body: string, head = '') =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}</body></html>`;

let site: SiteServer;

beforeAll(async () => {
  mkdirSync(path.join(folder, 'people'), { recursive: true });
  writeFileSync(path.join(root, 'secret.html'), 'secret');
  const dated = '<meta name="date" content="1999-01-02"><meta name="author" content="The Atlas">';
  writeFileSync(path.join(folder, 'index.html'), page('Home', '<p>Welcome.</p>'));
  writeFileSync(path.join(folder, 'kessa.html'), page('Kessa', '<p>An island of <b>fishers</b>.</p>', dated));
  writeFileSync(path.join(folder, 'people/ada brun.html'), page('Ada Brun', '<p>Born on Kessa.</p>'));
  writeFileSync(path.join(folder, 'notes.txt'), 'not a page');
  site = await startSiteServer({ folder, host: 'atlas.example' });
});
afterAll(() => site.close());

/** A request whose path is sent as it is: `fetch` would take the dots out. */
function get(rawPath: string, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { address: host, port } = site;
    request(
      { host, port, path: rawPath, method, headers: { host: 'anything.example' } },
      async (response) => {
        resolve({ status: response.statusCode!, body: await text(response) });
      },
    )
      .on('error', reject)
      .end();
  });
}

const search = (body: string) => fetch(`${site.baseUrl}/search`, { method: 'POST', body });

describe('pages', () => {
  test('are served whatever the host is called', async () => {
    expect(await get('/kessa.html?x=1')).toMatchObject({
      status: 200,
      body: expect.stringContaining('fishers'),
    });
    expect((await get('/')).body).toContain('Welcome');
    expect((await get('/people/ada%20brun.html')).body).toContain('Born on Kessa');
    expect(await get('/kessa.html', 'HEAD')).toEqual({ status: 200, body: '' });
  });

  test.each([
    '/../secret.html',
    '/people/../../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '/%',
    '/notes.txt',
    '//kessa.html',
    '/kessa.html%00',
  ])('nothing else: %s', async (path) => {
    const { status, body } = await get(path);
    expect(status).toBe(404);
    expect(body).not.toContain('secret');
  });
});

describe('search', () => {
  test("answers in Serper's shape, with public links", async () => {
    const response = await search(JSON.stringify({ q: 'island of Kessa', num: 5 }));
    expect(await response.json()).toEqual({
      searchParameters: { q: 'island of Kessa', num: 5 },
      organic: [
        {
          title: 'Kessa',
          link: 'http://atlas.example/kessa.html',
          snippet: 'An island of fishers.',
          date: '1999-01-02',
          source: 'The Atlas',
        },
        {
          title: 'Ada Brun',
          link: 'http://atlas.example/people/ada%20brun.html',
          snippet: 'Born on Kessa.',
        },
      ],
    });
  });

  test('keeps to num, and finds nothing for nothing', async () => {
    const count = async (body: object) =>
      ((await (await search(JSON.stringify(body))).json()) as { organic: unknown[] }).organic.length;
    expect(await count({ q: 'kessa', num: 1 })).toBe(1);
    expect(await count({ q: 'kessa' })).toBe(2);
    expect(await count({ q: '"(*' })).toBe(0);
  });

  test.each([
    ['broken', '{"q"', 400],
    ['without q', '{"num": 3}', 400],
    ['too many', '{"q": "x", "num": 1000}', 400],
    ['too long', JSON.stringify({ q: 'x'.repeat(70_000) }), 413],
  ])('a request that is %s gets a message', async (_name, body, status) => {
    const response = await search(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ message: expect.any(String) });
  });
});

test('the text of a page leaves navigation out and keeps words apart', () => {
  const html =
    '<title> A  b </title><nav>menu</nav><table><tr><th>Area</th><td>12</td></tr></table><p>x<i>y</i></p><script>z</script>';
  expect(htmlToWords(html)).toMatchObject({
    title: 'A b',
    text: 'Area 12 xy',
    date: '',
    source: '',
  });
  expect(htmlToWords('')).toMatchObject({ title: '', text: '' });
});

test('a folder without pages is the user’s mistake', async () => {
  await expect(startSiteServer({ folder: path.join(root, 'none'), host: 'x' })).rejects.toBeInstanceOf(
    UserError,
  );
  mkdirSync(path.join(root, 'empty'));
  await expect(startSiteServer({ folder: path.join(root, 'empty'), host: 'x' })).rejects.toThrow(
    'no .html page',
  );
});
