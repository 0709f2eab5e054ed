import { describe, expect, test } from 'vitest';
import { type ToolName, toolFactsOf, toolNames } from '../../schemas/config/tools/toolFacts.ts';
import { toolsConfigSchema } from '../../schemas/config/tools.ts';
import {
  configuredTags,
  fingerprintOfTools,
  rowOfTag,
  toolTable,
  wantedRows,
} from '../../tools/toolTable.ts';

/** What each section can't do without. */
const least: Readonly<Partial<Record<ToolName, object>>> = {
  wiki_search: { corpus: 'passages.jsonl' },
  visual_inspector: { model: { model: 'eyes' } },
};
const sections = Object.fromEntries(toolNames.map((name) => [name, least[name] ?? {}]));
const custom = {
  lookup: { url: 'https://lookup.example/ask', description: 'Looks up.', api_key_env: 'KEY' },
};
const mcp = {
  servers: { shelf: { command: 'shelf', env: ['SHELF'] }, cloud: { url: 'https://cloud.example/mcp' } },
  tools: { shelf_list: { server: 'shelf' }, cloud_find: { server: 'cloud' } },
};
const tools = toolsConfigSchema.parse({ ...sections, custom, mcp });

test('every tool of the configuration is in the table, by the tag that calls it', () => {
  expect(configuredTags(tools)).toEqual([...toolNames, 'lookup', 'shelf_list', 'cloud_find']);
  expect(configuredTags(toolsConfigSchema.parse({}))).toEqual([]);
  for (const tag of configuredTags(tools)) expect(rowOfTag(tools, tag)!.tagsOf(tools)).toContain(tag);
  expect(rowOfTag(tools, 'think')).toBeUndefined();
});

test('only what is wanted and configured is opened', () => {
  const wanted = wantedRows(tools, new Set(['code', 'cloud_find', 'nothing']));
  expect(wanted.map(({ tags }) => tags)).toEqual([['code'], ['cloud_find']]);
});

test.each(toolNames)('%s has a port exactly where it has a server', (name) => {
  expect(rowOfTag(tools, name)!.serve !== undefined).toBe(toolFactsOf(name).port !== undefined);
});

test('the cache knows who answers', () => {
  const providers = Object.fromEntries(
    configuredTags(tools).map((tag) => [tag, rowOfTag(tools, tag)!.providerOf(tools, tag)]),
  );
  expect(providers).toEqual({
    web_search: 'local',
    crawl_page: 'web',
    wiki_search: 'local',
    code: 'local',
    visual_inspector: 'local',
    lookup: 'https://lookup.example/ask',
    shelf_list: 'local',
    cloud_find: 'https://cloud.example/mcp',
  });
  const elsewhere = toolsConfigSchema.parse({
    web_search: { base_url: 'https://search.example' },
    wiki_search: { url: 'https://wiki.example/retrieve' },
  });
  expect(rowOfTag(elsewhere, 'web_search')!.providerOf(elsewhere, 'web_search')).toMatch(/search\.example/);
  expect(rowOfTag(elsewhere, 'wiki_search')!.providerOf(elsewhere, 'wiki_search')).toMatch(/wiki\.example/);
});

test('the bundled site is seen by the tools of the web', () => {
  const seeing = toolTable.filter((row) => row.seesSite).flatMap((row) => row.tagsOf(tools));
  expect(seeing).toEqual(['web_search', 'crawl_page', 'visual_inspector']);
});

describe('what the environment must hold', () => {
  const served = toolsConfigSchema.parse({
    web_search: { base_url: 'https://search.example' },
    wiki_search: { url: 'https://wiki.example/retrieve', api_key_env: 'WIKI' },
    custom,
    mcp,
  });
  test.each([
    ['web_search', 'SERPER_API_KEY'],
    ['wiki_search', 'WIKI'],
    ['lookup', 'KEY'],
    ['shelf_list', 'SHELF'],
  ])('%s needs %s', (tag, variable) => {
    const row = rowOfTag(served, tag)!;
    expect(() => row.checkEnvironment(served, tag, {})).toThrow(`${variable} is not set`);
    expect(() => row.checkEnvironment(served, tag, { [variable]: 'x' })).not.toThrow();
  });
});

test('a tokenizer that calls load is known before them', () => {
  const named = toolTable.map((row) => row.tokenizerOf(tools)).filter((name) => name !== undefined);
  expect(named).toEqual(['qwen2.5']);
});

test('what shapes results besides keys stands in the row: prompts, a corpus, the program of a server', () => {
  const summary = { summary: { model: { model: 'reader' } } };
  const local = { ...sections, crawl_page: summary, web_search: { provider: 'local' }, mcp };
  const all = toolsConfigSchema.parse(local);
  const fingerprint = fingerprintOfTools(all, all) as Record<string, Record<string, unknown>>;
  expect(fingerprint.crawl_page!.summary).toHaveProperty('prompts');
  expect(fingerprint.visual_inspector).toHaveProperty('prompts');
  expect(fingerprint.web_search!.corpus).toEqual(all.wiki_search);
  expect(fingerprint.mcp!.shelf_list).toMatchObject({ command: 'shelf' });
  expect(fingerprint.mcp!.cloud_find).not.toHaveProperty('url');
  expect(fingerprint.code).toEqual(all.code);
});
