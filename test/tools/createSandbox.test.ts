// Needs bubblewrap, python3, python3-numpy.
import { availableParallelism, totalmem } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import { UserError } from '../../base/userError.ts';
import type { CodeSettings } from '../../schemas/config/tools/code.ts';
import { createSandbox, PYODIDE_WARNING, remedyFor } from '../../tools/sandbox/createSandbox.ts';
import { programsAtOnce } from '../../tools/sandbox/sandboxLimits.ts';
import { fakeBubblewrap } from './support/sandboxes.ts';

const config: CodeSettings = {
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

test('without a number, programs at once are two a processor, as far as memory holds them', () => {
  expect(programsAtOnce({ memoryBytes: 1 })).toBe(Math.min(2 * availableParallelism(), 64));
  expect(programsAtOnce({ memoryBytes: totalmem() })).toBe(2);
  expect(programsAtOnce({ memoryBytes: totalmem() / 6 })).toBe(Math.min(2 * availableParallelism(), 3));
});

test('a control group that is none is refused, not left out', async () => {
  const failed = createSandbox({ ...config, cgroup: '/no/such/group' }, () => {});
  await expect(failed).rejects.toBeInstanceOf(UserError);
  await expect(failed).rejects.toThrow('tools.code.cgroup: expected the folder of a control group');
});

test.each([
  ['the sandbox could not be started: spawn bwrap ENOENT', 'install bubblewrap 0.8 or newer'],
  ['bubblewrap failed: bwrap: Unknown option --disable-userns', 'install bubblewrap 0.8 or newer'],
  ['sh: 9: exec: /usr/bin/python3: not found', 'install python3'],
  [
    'bubblewrap failed: bwrap: No permissions to create new namespace, likely because the kernel does not allow it',
    'user namespaces',
  ],
  ['bubblewrap failed: bwrap: setting up uid map: Permission denied', 'user namespaces'],
  [
    'the sandbox could not be started as user 32576, whom not every container has: spawn EINVAL',
    'user namespaces',
  ],
])('where no program runs, what to do depends on why: %s', (problem, words) => {
  expect(remedyFor(problem)).toContain(words);
});

test.each([
  ['can not be started', '/no/such/shell', 'the sandbox could not be started: spawn'],
  ['fails', '/bin/sh', 'bubblewrap failed: bwrap: it is broken'],
])('a bubblewrap that %s is explained', async (_how, shell, words) => {
  const folder = fakeBubblewrap('echo bwrap: it is broken >&2; exit 1', shell);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  const failed = createSandbox(config, () => {});
  await expect(failed).rejects.toBeInstanceOf(UserError);
  await expect(failed).rejects.toThrow(`no program runs in bubblewrap here (${words}`);
});
