import { describe, expect, test } from 'vitest';
import { UserError } from '../../pipeline/contract/errors.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';
import { createSandbox, PYODIDE_WARNING } from '../../tools/sandbox/createSandbox.ts';

const config: CodeConfig = {
  backend: 'auto',
  allow_unsafe: false,
  timeout_s: 7,
  memory_mb: 512,
  max_output_chars: 512,
  concurrency: 2,
};
/** No Python starts in so little memory: as good as a machine without bubblewrap. */
const broken = { ...config, memory_mb: 1 };

async function create(settings: typeof config) {
  const lines: string[] = [];
  const sandbox = await createSandbox(settings, (line) => lines.push(line));
  await sandbox.close();
  return { name: sandbox.name, isolates: sandbox.isolates, lines };
}

describe('the back end', () => {
  test('is bubblewrap where it works, without a word', async () => {
    const bubblewrap = { name: 'bubblewrap', isolates: true, lines: [] };
    expect(await create(config)).toEqual(bubblewrap);
    expect(await create({ ...config, allow_unsafe: true })).toEqual(bubblewrap);
    expect(await create({ ...config, backend: 'bubblewrap' })).toEqual(bubblewrap);
  });

  test('is Pyodide only with allow_unsafe, said once', async () => {
    const pyodide = { name: 'pyodide', isolates: false, lines: [PYODIDE_WARNING] };
    expect(await create({ ...broken, allow_unsafe: true })).toEqual(pyodide);
    expect(await create({ ...config, backend: 'pyodide', allow_unsafe: true })).toEqual(pyodide);
  });

  test.each([
    ['auto', broken, 'install bubblewrap'],
    ['bubblewrap', { ...broken, backend: 'bubblewrap' as const, allow_unsafe: true }, 'install bubblewrap'],
    ['pyodide', { ...config, backend: 'pyodide' as const }, 'tools.code.allow_unsafe: true'],
  ])('%s that may not or can not run is explained', async (_backend, settings, words) => {
    const failed = create(settings);
    await expect(failed).rejects.toBeInstanceOf(UserError);
    await expect(failed).rejects.toThrow(words);
  });
});
