import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { namesModules } from '../support/namedModules.ts';

test.each([
  [
    'startViewer.ts',
    'createViewerApp',
    /node_modules\/(apache-arrow|parquet-wasm|yaml|csv-parse|@huggingface)/,
  ],
  ['server/jobAnswer.ts', 'viewedJob', /node_modules\/(apache-arrow|parquet-wasm|csv-parse|@huggingface)/],
])('%s starts without what reads datasets, which takes 15 MB', async (file, sign, heavy) => {
  const program = `await import('${new URL(`../../viewer/${file}`, import.meta.url)}')`;
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [namesModules, '--input-type=module', '-e', program],
    {
      env: { PATH: process.env.PATH },
    },
  );
  expect(stderr).toContain(sign);
  expect(stderr).not.toMatch(heavy);
});
