import { globSync } from 'node:fs';
import { blocksOf, readPage, repository } from './readPage.ts';

/** Pages that play the whole quickstart, or much of it. */
export const longPages = [
  'README.md',
  'docs/audit.md',
  'docs/first-run.md',
  'docs/standalone.md',
  'docs/web-search.md',
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
