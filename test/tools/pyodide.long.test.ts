import { readdirSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { createPyodideSandbox } from '../../tools/sandbox/createPyodideSandbox.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const forever = new AbortController().signal;

test('a snapshot is made once, kept for later sandboxes, and made again when it is damaged', async () => {
  const cache = temporaryFolder();
  vi.stubEnv('XDG_CACHE_HOME', cache);
  // Others make temporary files too.
  vi.stubEnv('TMPDIR', temporaryFolder());
  const temporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith('coa-distill-pyodide-'));
  const before = temporary();
  const useOne = async () => {
    const another = await createPyodideSandbox({ timeoutMs: 20_000, concurrency: 1 });
    expect((await another.run({ code: 'print(1)', stdin: '' }, forever)).stdout).toBe('1\n');
    await another.close();
    expect(temporary()).toEqual(before);
  };
  await useOne();
  const folder = path.join(cache, 'coa-distill/pyodide');
  const [name] = readdirSync(folder);
  const file = path.join(folder, name!);
  const { mtimeMs, size } = statSync(file);
  await useOne();
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
  truncateSync(file, size / 2);
  await useOne();
  expect(statSync(file).size).toBe(size);
});

test('without a folder that can be written it works too', async () => {
  vi.stubEnv('XDG_CACHE_HOME', '/dev/null/none');
  const another = await createPyodideSandbox({ timeoutMs: 20_000, concurrency: 1 });
  expect((await another.run({ code: 'print(1)', stdin: '' }, forever)).stdout).toBe('1\n');
  await another.close();
});
