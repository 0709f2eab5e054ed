import { globSync } from 'node:fs';
import { blocksOf, readPage, repository } from './readPage.ts';

/** Pages whose commands take a second or two together: `make test` tries these, `make test-all` all. */
const QUICK_PAGES: readonly string[] = [
  'docs/balance.md',
  'docs/configuration.md',
  'docs/exit-codes.md',
  'docs/grammar.md',
  'docs/judging.md',
  'docs/judging-maths.md',
];

/** Checked elsewhere: the help's own examples, and the programs of the library in their own test. */
const CHECKED_ELSEWHERE = ['docs/commands.md', 'docs/library.md'];

/** The pages whose blocks are commands, files and programs to check. */
export const documentedPages = [
  'README.md',
  'SECURITY.md',
  ...globSync('docs/*.md', { cwd: repository }).sort(),
]
  .filter((page) => !CHECKED_ELSEWHERE.includes(page))
  .filter((page) => blocksOf(readPage(page)).length > 0);

export const quickPages = documentedPages.filter((page) => QUICK_PAGES.includes(page));
export const longPages = documentedPages.filter((page) => !QUICK_PAGES.includes(page));
