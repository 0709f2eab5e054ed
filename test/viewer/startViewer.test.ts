import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the viewer starts without what reads datasets and settings, which takes 15 MB', async () => {
  const program = `await import('${new URL('../../viewer/startViewer.ts', import.meta.url)}')`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, NODE_DEBUG: 'esm' },
    maxBuffer: 1e9,
  });
  expect(stderr).toContain('createViewerApp');
  expect(stderr).not.toMatch(/node_modules\/(apache-arrow|parquet-wasm|yaml|csv-parse|@huggingface)/);
});
