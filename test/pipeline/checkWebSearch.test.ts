import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { searchAddressOf, searchKeyOf } from '../../schemas/config/resolved/endpoints.ts';
import { webSearchConfigSchema } from '../../schemas/config/tools/webSearch.ts';
import { createProject } from '../cli/support/project.ts';

const load = (web_search: string, more = '') => {
  const cwd = createProject({ more: `  web_search: ${web_search}\n${more}` });
  return loadConfig(join(cwd, 'coa.yaml'));
};

test('what was valid is what it was: Serper, at the address that is given', async () => {
  const { config } = await load('{ base_url: "http://127.0.0.1:9" }');
  const { web_search } = config.tools;
  expect(web_search).toMatchObject({ provider: 'serper', num: 10, timeout_s: 30 });
  expect(searchAddressOf(web_search!)).toBe('http://127.0.0.1:9');
  expect(() => searchKeyOf(web_search!, {})).toThrow(/SERPER_API_KEY is not set/);
});

test('each provider has its address and the variable of its key', () => {
  const of = (provider: string, more = {}) => webSearchConfigSchema.parse({ provider, ...more });
  const env = { BRAVE_API_KEY: 'b', TAVILY_API_KEY: 't', SERPER_API_KEY: 's', OWN: 'o' };
  expect(searchAddressOf(of('brave'))).toBe('https://api.search.brave.com');
  expect(searchAddressOf(of('tavily'))).toBe('https://api.tavily.com');
  expect(searchKeyOf(of('brave'), env)).toBe('b');
  expect(searchKeyOf(of('tavily'), env)).toBe('t');
  expect(searchKeyOf(of('brave', { api_key_env: 'OWN' }), env)).toBe('o');
  const base_url = 'http://127.0.0.1:9';
  expect(searchKeyOf(of('searxng', { base_url }), {})).toBeUndefined();
  expect(searchKeyOf(of('serper', { base_url }), env)).toBe('s');
  // On this machine nobody asks for a key.
  expect(searchKeyOf(of('local'), {})).toBeUndefined();
  expect(searchKeyOf(of('serper'), {})).toBeUndefined();
});

test.each([
  ['{ provider: searxng }', /provider: no address of the SearXNG instance; set tools\.web_search\.base_url/],
  ['{ provider: brave, num: 50 }', /num: expected at most 20, what brave gives, got 50/],
  ['{ provider: local, base_url: "http://127.0.0.1:9" }', /base_url: the provider local asks no service/],
  ['{}', /no search service; set tools\.web_search\.base_url, or tools\.site/],
  ['{ provider: bing }', /provider/],
  // Node ends longer waits at once.
  ['{ provider: local, timeout_s: 3000000 }', /timeout_s: expected a number up to 1000000, got 3000000/],
])('%s is refused with its line', async (web_search, words) => {
  await expect(load(web_search)).rejects.toThrow(words);
  await expect(load(web_search)).rejects.toThrow(/coa\.yaml:\d+|line \d+/);
});

test('the local provider takes the encyclopedia where there is no site', async () => {
  expect((await load('{ provider: local }')).config.tools.web_search?.provider).toBe('local');
  const cwd = createProject();
  writeFileSync(
    join(cwd, 'web.yaml'),
    'tasks: { sources: [{ file: tasks.jsonl, profile: mhqa }] }\nteacher: { model: { model: m } }\ntools: { web_search: { provider: local } }\n',
  );
  await expect(loadConfig(join(cwd, 'web.yaml'))).rejects.toThrow(/tools\.wiki_search/);
});
