import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { renderCommandDocs } from '../../scripts/renderCommandDocs.ts';
import { renderConfigDocs } from '../../scripts/renderConfigDocs.ts';
import { renderFilterDocs } from '../../scripts/renderFilterDocs.ts';
import { renderRecordDocs } from '../../scripts/renderRecordDocs.ts';
import { readPage, repository } from './support/readPage.ts';

const pages = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: repository }).sort(),
];
const own = pages.filter((page) => page.startsWith('docs/') && !page.startsWith('docs/decisions/'));

/** The text of a page without its blocks and its code, in which brackets are no links. */
const proseOf = (page: string) =>
  readPage(page)
    .replace(/^```.*?^```$/gms, '')
    .replace(/`[^`\n]*`/g, '``');

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = [
    ...readPage(page)
      .replace(/^```.*?^```$/gms, '')
      .matchAll(/^#+ (.*)$/gm),
  ];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test.each<[string, string, () => string | Promise<string>]>([
  ['docs/commands.md', 'the help', renderCommandDocs],
  ['docs/configuration.md', 'the keys', renderConfigDocs],
  ['docs/filters.md', 'the rules', renderFilterDocs],
  ['docs/records.md', 'the schemas', renderRecordDocs],
])('%s is made from %s; run npm run docs where it has drifted', async (page, _source, render) => {
  expect(readPage(page)).toBe(await render());
  expect(readPage(page)).not.toMatch(/undefined|\[object/);
});

/** Where a program's source lies: nothing that a reader should have to look up. */
const SOURCE_FILE =
  /\b(base|schemas|contract|stages|teachers|tools|output|training|calls|pipeline|operations|cli|scripts|test|bench)\/[\w/]*\w+\.ts\b|`schemas\//;

test.each(own)('%s says the fact itself, and names no source file for it', (page) => {
  const named = readPage(page)
    .split('\n')
    .filter((line) => SOURCE_FILE.test(line));
  expect(named).toEqual([]);
});

test.each(pages)('every link and anchor of %s leads somewhere', (page) => {
  const broken = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^https?:/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(repository, file))) return [target];
    return anchor === undefined || anchorsOf(file).has(anchor) ? [] : [target];
  });
  expect(broken).toEqual([]);
});

test.each(own)('%s begins with an example', (page) => {
  const [beginning = ''] = readPage(page).split(/^## /m);
  expect(beginning).toMatch(/^```/m);
});

test('the index leads to every page', () => {
  const index = readPage('docs/index.md');
  const missing = own.filter(
    (page) => page !== 'docs/index.md' && !index.includes(`(${page.replace('docs/', '')}`),
  );
  expect(missing).toEqual([]);
});
