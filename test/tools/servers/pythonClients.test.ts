import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openAtlasServers } from './support/openAtlasServers.ts';

const program = fileURLToPath(new URL('support/pythonClients.py', import.meta.url));

test('Python clients are answered: with JSON or a bare text, ASCII or not, whole or in chunks', async () => {
  const { web_search, crawl_page, wiki_search } = await openAtlasServers();
  const { stdout } = await promisify(execFile)('python3', [
    program,
    web_search.url,
    crawl_page.url,
    wiki_search.url,
  ]);
  const { search, crawl, retrieve, form, chunked, bad } = JSON.parse(stdout);
  expect(search).toMatchObject([
    200,
    { organic: [{ title: expect.stringContaining('Lighthouse Picnic') }, {}, {}] },
  ]);
  expect(crawl).toMatchObject([
    200,
    { success: true, obs: expect.stringContaining('1847'), error_message: null },
  ]);
  expect(retrieve).toMatchObject([
    200,
    { result: [[{ document: { id: 'lighthouse-picnic-1' }, score: expect.any(Number) }, {}], []] },
  ]);
  expect(form).toMatchObject([200, { result: [[{ id: expect.any(String), contents: expect.any(String) }]] }]);
  expect(chunked).toMatchObject([
    200,
    { organic: [{ title: expect.stringContaining('Lighthouse Picnic') }] },
  ]);
  expect(bad).toMatchObject([400, { detail: expect.stringContaining('the body is not JSON') }]);
});
