import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCorpus } from '../../synthesis/corpus/readCorpus.ts';
import { startSiteServer } from '../../tools/site/startSiteServer.ts';
import { cases } from '../support/cases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const never = new AbortController().signal;
const body = (html: string) => `<!doctype html><html><head></head><body>${html}</body></html>`;

/** Pages that take the main thread minutes, or its stack; and whether they are refused. */
const hostile: Readonly<Record<string, readonly [html: string, isRefused: boolean]>> = {
  'nested divisions': [body('<div>'.repeat(2_000)), true],
  'nested tables': [body('<table><tr><td>'.repeat(3_000)), true],
  'unclosed divisions': ['<div>'.repeat(100_000), true],
  'deep lists': [body('<ul><li>a'.repeat(3_000)), true],
  'many links': [body('<a href="x">l</a> '.repeat(cases(200_000))), false],
  'many entities': [body('&amp;&eacute; '.repeat(cases(300_000))), false],
};

function corpusOf(folder: string) {
  const config = {
    synthesize: { corpus: { site: folder } },
    tools: { site: { folder, host: 'site.example' } },
  };
  const loaded = { config } as unknown as Parameters<typeof readCorpus>[0];
  return (signal: AbortSignal) =>
    readCorpus(loaded, () => Promise.reject(new Error('no page is asked for')), signal);
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function siteOf(pages: Readonly<Record<string, string>>): string {
  const folder = join(temporaryFolder(), 'site');
  mkdirSync(folder);
  for (const [name, html] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), html);
  return folder;
}

const good =
  '<title>Kessa - The Atlas</title><h1>Kessa</h1><p>Kessa is an island of 12 fishers in the north.</p>';

test('a hostile page is refused with its reason, and the others are read', async () => {
  const pages = Object.fromEntries(Object.entries(hostile).map(([name, [html]]) => [name, html]));
  const read = corpusOf(siteOf({ 'a first': good, ...pages, 'z last': good.replace('12', '13') }));
  const found = await allOf(read(never));
  expect(found).toHaveLength(Object.keys(hostile).length + 2);
  for (const [name, [, isRefused]] of Object.entries(hostile)) {
    const page = found.find(({ address }) => decodeURI(address).includes(name))!;
    const reason = 'its HTML is too complex';
    if (isRefused) expect(page, name).toMatchObject({ text: null, why: reason });
    else expect(page.text ?? page.why, name).toMatch(/\[?l|é|too complex/);
  }
  for (const page of [found[0]!, found.at(-1)!])
    expect(page).toMatchObject({ title: 'Kessa', text: expect.stringContaining('fishers in the north') });
});

test('reading ends with the signal', async () => {
  const stop = new AbortController();
  const read = corpusOf(siteOf({ slow: body('<p>x<b>y</b></p>'.repeat(60_000)) }));
  const reading = allOf(read(stop.signal));
  setTimeout(() => stop.abort(new Error('stopped')), 500);
  await expect(reading).rejects.toThrow('stopped');
});

test('a site with a hostile page is served and searched without it', async () => {
  const lines: string[] = [];
  const folder = siteOf({ good, hostile: hostile['nested divisions']![0] });
  const site = await startSiteServer({ folder, host: 'site.example', log: (line) => lines.push(line) });
  const asked = { method: 'POST', body: JSON.stringify({ q: 'fishers' }) };
  const answer = (await (await fetch(`${site.baseUrl}/search`, asked)).json()) as { organic: object[] };
  await site.close();
  expect(answer.organic).toMatchObject([{ title: 'Kessa - The Atlas' }]);
  expect(lines).toEqual(['tools.site: no search finds hostile.html: its HTML is too complex']);
});
