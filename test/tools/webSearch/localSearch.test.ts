import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Resources } from '../../../base/resources.ts';
import { type OpenToolsOptions, toolContext } from '../../../pipeline/compose/openTools.ts';
import { createSession } from '../../../pipeline/createSession.ts';
import { toolsConfigSchema } from '../../../schemas/config/tools.ts';
import { createSiteService, passageResult } from '../../../tools/webSearch/localServices.ts';
import { openSearchService } from '../../../tools/webSearch/webSearchRow.ts';
import { examplesFolder } from '../../examples/support/examplesFolder.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const { signal } = new AbortController();
const corpus = join(examplesFolder, 'atlas/passages.jsonl');
const folder = join(examplesFolder, 'atlas/site');

async function openLocal(tools: object, resources: Resources) {
  const config = { tools: toolsConfigSchema.parse({ web_search: { provider: 'local' }, ...tools }) };
  const noServer = () => Promise.reject(new Error('no server is needed'));
  const options = { config, cacheFolder: temporaryFolder() };
  const context = toolContext(options as unknown as OpenToolsOptions, createSession({ env: {}, resources }));
  return openSearchService(config.tools.web_search!, { ...context, openSite: noServer });
}

test('pages of the site are found without a server', async () => {
  const resources = new Resources();
  const service = await openLocal({ site: { folder }, wiki_search: { corpus } }, resources);
  const results = await service.search('lighthouse', 3, signal);
  await resources.closeAll();
  expect(results).toHaveLength(3);
  for (const { link } of results) expect(link).toMatch(/^http:\/\/atlas\.example\//);
});

test('without a site, passages of the encyclopedia', async () => {
  const resources = new Resources();
  const service = await openLocal({ wiki_search: { corpus } }, resources);
  const results = await service.search('lighthouse', 3, signal);
  expect(results).toHaveLength(3);
  for (const { link, title, snippet } of results) {
    expect(link).toMatch(/^passage:\S+$/);
    expect(title).not.toBe('');
    expect(snippet!.length).toBeLessThanOrEqual(300);
  }
  expect(await service.search('!?', 3, signal)).toEqual([]);
  await resources.closeAll();
});

test('a passage as a result is one line, and its id is readable from the link', () => {
  const result = passageResult({ id: 'a/b 1', contents: `"T"\none\n\ntwo ${'x '.repeat(300)}` });
  expect(result.link).toBe('passage:a%2Fb%201');
  expect(result.snippet).toMatch(/^one two x x/);
  expect(result.snippet!.endsWith('x…')).toBe(true);
  const odd = passageResult({ id: '1', contents: `"Two\u001b parts ${'x'.repeat(400)}"\nred\u0007 sea` });
  expect(odd).toMatchObject({ title: expect.stringMatching(/^Two parts x{289}…$/), snippet: 'red sea' });
  expect(passageResult({ id: '1', contents: 'T' })).toEqual({ title: 'T', link: 'passage:1' });
});

test('an index that broke is a failure of the tool', async () => {
  const search = () => {
    throw new Error('disk I/O error');
  };
  const broken = createSiteService({ search });
  await expect(broken.search('q', 1, signal)).rejects.toMatchObject({
    failure: { cause: 'tool_unavailable', evidence: { provider: 'local' } },
  });
});
