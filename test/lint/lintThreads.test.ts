import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lintFiles } from '../../operations/lintFiles.ts';
import { useThreads } from '../base/threads/support/useThreads.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { alpacaRow, cleanText, spoiltText } from './datasetRows.ts';

async function linted(file: string, threads: number) {
  useThreads(threads);
  const rows: unknown[] = [];
  try {
    for await (const row of lintFiles([file])) rows.push(row);
  } catch (error) {
    rows.push((error as Error).message);
  }
  return rows;
}

test('findings, places and the error of a torn file are the same with any number of threads', async () => {
  const file = path.join(temporaryFolder(), 'rows.jsonl');
  const lines = Array.from({ length: 1500 }, (_, at) =>
    at % 7 === 3 ? '{"broken": ' : JSON.stringify(alpacaRow(at % 3 === 0 ? spoiltText : cleanText)),
  );
  writeFileSync(file, `${lines.join('\n')}\n{"instruction": "cut`);
  const here = await linted(file, 1);
  expect(here).toHaveLength(1501);
  expect(here.at(-1)).toMatch(/ends in the middle of row 1501/);
  expect(await linted(file, 3)).toEqual(here);
});
