import { availableParallelism, totalmem } from 'node:os';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { type CodeSettings, codeConfigSchema } from '../../schemas/config/tools/code.ts';
import { createSandbox, openBackend, PYODIDE_WARNING, remedyFor } from '../../tools/sandbox/createSandbox.ts';
import { programsAtOnce } from '../../tools/sandbox/sandboxLimits.ts';

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
  const backend = openBackend(codeConfigSchema.parse({}), undefined);
  expect(remedyFor(problem, backend)).toContain(words);
});

test('a back end that is not there is told from one that fails', async () => {
  const failed = createSandbox({ ...config, backend: 'nsjail', nsjail_path: '/no/such/nsjail' }, () => {});
  await expect(failed).rejects.toThrow(
    'no program runs in nsjail here (nsjail failed: setpriv: failed to execute /no/such/nsjail: No such file or directory): build nsjail',
  );
  await expect(failed).rejects.toThrow('nsjail_path');
});
