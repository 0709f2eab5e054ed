import { expect, test, vi } from 'vitest';

vi.mock('node:os', () => ({
  homedir: () => {
    throw new Error('uv_os_homedir returned ENOENT');
  },
}));

test('nothing is kept for a user without a home folder, and nothing fails', async () => {
  // Another file of this worker may have loaded it with the real homedir.
  vi.resetModules();
  const { recallBytes, rememberBytes } = await import('../../base/files/userCache.ts');
  vi.stubEnv('XDG_CACHE_HOME', '');
  await rememberBytes('a/b', Uint8Array.of(1));
  expect(await recallBytes('a/b')).toBeUndefined();
  vi.unstubAllEnvs();
});
