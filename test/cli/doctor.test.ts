import { expect, test } from 'vitest';
import { sandboxPromises } from '../../schemas/config/tools/code.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { nsjailPath } from '../tools/support/nsjail.ts';
import { writeWeakNsjail } from '../tools/support/weakNsjail.ts';
import { createProject } from './support/project.ts';
import { runCli } from './support/runCli.ts';

interface Check {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  readonly required: boolean;
}

async function examine(code: string): Promise<{ status: number | null; checks: Check[] }> {
  const cwd = createProject({ more: `  code: ${code}\n` });
  const { code: status, stdout } = await runCli(['doctor', '--json'], { cwd });
  const checks = (JSON.parse(stdout) as Check[]).filter(({ what }) => what.startsWith('sandbox'));
  return { status, checks };
}

test.each([
  ['bubblewrap', '{}'],
  ['nsjail', `{ backend: nsjail, nsjail_path: ${nsjailPath()} }`],
])('doctor shows every promise of %s and what keeps it', async (name, code) => {
  const { status, checks } = await examine(code);
  expect(status).toBe(0);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks[0]).toMatchObject({ what: 'sandbox', found: `${name}, keeps 14 of 14 promises` });
  expect(checks.slice(1).map(({ what }) => what)).toEqual(
    sandboxPromises.map((promise) => `sandbox ${promise}`),
  );
  expect(checks.find(({ what }) => what === 'sandbox memory')!.found).toMatch(/control group/);
});

test('doctor finds the promise that is not kept, and a configuration may go without it', async () => {
  const nsjail = writeWeakNsjail(temporaryFolder(), '--disable_clone_newnet');
  const broken = await examine(`{ backend: nsjail, nsjail_path: ${nsjail} }`);
  expect(broken.status).toBe(1);
  expect(broken.checks.filter(({ ok }) => !ok)).toMatchObject([
    { what: 'sandbox network', found: 'a socket of this machine was reached', required: true },
  ]);
  const accepted = await examine(`{ backend: nsjail, nsjail_path: ${nsjail}, accept_weaknesses: [network] }`);
  expect(accepted.status).toBe(0);
  expect(accepted.checks.find(({ what }) => what === 'sandbox network')).toMatchObject({
    ok: false,
    found: 'a socket of this machine was reached (accepted)',
    required: false,
  });
});

test('doctor says why no program runs at all', async () => {
  const { status, checks } = await examine('{ backend: nsjail, nsjail_path: /no/such/nsjail }');
  expect(status).toBe(1);
  expect(checks).toMatchObject([
    { what: 'sandbox', ok: false, found: expect.stringContaining('nsjail_path') },
  ]);
});

test('doctor says that Pyodide keeps no promise', async () => {
  const { status, checks } = await examine('{ backend: pyodide, allow_unsafe: true }');
  expect(status).toBe(0);
  expect(checks.map(({ found }) => found)).toEqual(['pyodide (does not isolate: it keeps no promise)']);
});
