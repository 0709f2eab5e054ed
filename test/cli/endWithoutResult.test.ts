import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Gives the entry a command line whose `main` is this. */
const withMain = (main: string) => {
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => url.endsWith('/cli/main.ts')
      ? { format: 'module', source: ${JSON.stringify(`export const main = ${main};`)}, shortCircuit: true } : next(url, context) });`;
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(hooks)}`,
    'bin/coa-distill.js',
    'check',
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
};

test('a command that waits for what never comes ends as an internal error', () => {
  const { status, stdout, stderr } = withMain('() => new Promise(() => {})');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^internal error: the command ended without a result/);
  expect(stderr).not.toContain('unsettled');
});

test.each([0, 2])('one that ends with %i does so', (code) => {
  expect(withMain(`async () => ${code}`)).toEqual({ status: code, stdout: '', stderr: '' });
});
