// Needs bubblewrap, python3.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxPromises } from '../../schemas/config/tools/code.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { rejects, says, startTinyServer } from '../teachers/support/startTinyServer.ts';
import { weakBubblewrap } from '../tools/support/sandboxes.ts';
import { createProject } from './support/project.ts';
import { runCli } from './support/runCli.ts';

interface Check {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  readonly required: boolean;
}

async function examine(
  code: string,
  env: Record<string, string> = {},
): Promise<{ status: number | null; checks: Check[] }> {
  const cwd = createProject({ more: `  code: ${code}\n` });
  const { code: status, stdout } = await runCli(['doctor', '--json'], { cwd, env });
  const checks = (JSON.parse(stdout) as Check[]).filter(({ what }) => what.startsWith('sandbox'));
  return { status, checks };
}

test('doctor shows every promise of bubblewrap and what keeps it', async () => {
  const { status, checks } = await examine('{}');
  expect(status).toBe(0);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks[0]).toMatchObject({
    what: 'sandbox',
    found: expect.stringContaining('bubblewrap, isolates programs in 14 of 14 ways'),
  });
  expect(checks.slice(1).map(({ what }) => what)).toEqual(
    sandboxPromises.map((promise) => `sandbox ${promise}`),
  );
  expect(checks.find(({ what }) => what === 'sandbox memory')!.found).toMatch(/control group/);
});

test('doctor finds the promise that is not kept, and a configuration may go without it', async () => {
  const env = { PATH: `${weakBubblewrap({ after: '--share-net' })}:${process.env.PATH}` };
  const broken = await examine('{}', env);
  expect(broken.status).toBe(1);
  expect(broken.checks.filter(({ ok }) => !ok)).toMatchObject([
    { what: 'sandbox network', found: 'a socket of this machine was reached', required: true },
  ]);
  const accepted = await examine('{ accept_weaknesses: [network] }', env);
  expect(accepted.status).toBe(0);
  expect(accepted.checks.find(({ what }) => what === 'sandbox network')).toMatchObject({
    ok: false,
    found: 'a socket of this machine was reached (accepted)',
    required: false,
  });
});

test('doctor says why no program runs at all', async () => {
  const { status, checks } = await examine('{ memory_mb: 1 }');
  expect(status).toBe(1);
  expect(checks).toMatchObject([
    { what: 'sandbox', ok: false, found: expect.stringContaining('no program runs in bubblewrap') },
  ]);
});

test('doctor says that Pyodide keeps no promise', async () => {
  const { status, checks } = await examine('{ backend: pyodide, allow_unsafe: true }');
  expect(status).toBe(0);
  expect(checks.map(({ found }) => found)).toEqual(['pyodide (does not isolate programs)']);
});

const webTools = 'tools:\n  web_search: { base_url: "https://search.example" }\n  crawl_page: {}\n';

/** A project whose tasks need a search service; without its key a run stops. */
function webProject(): string {
  const cwd = createProject({ profile: 'web' });
  const config = readFileSync(join(cwd, 'coa.yaml'), 'utf8');
  writeFileSync(join(cwd, 'coa.yaml'), config.replace(/tools:\n.*\n/, webTools));
  return cwd;
}

test('doctor and --dry-run name the key of a search service that a run would stop on', async () => {
  const cwd = webProject();
  const problem = 'the environment variable SERPER_API_KEY is not set';
  const run = await runCli(['run'], { cwd });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(problem)]);
  const without = await runCli(['doctor', '--json'], { cwd });
  expect(without.code).toBe(1);
  expect((JSON.parse(without.stdout) as Check[]).filter(({ ok, required }) => required && !ok)).toMatchObject(
    [{ what: 'key of web_search', found: expect.stringContaining(problem) }],
  );
  expect((await runCli(['run', '--dry-run'], { cwd })).stdout).toContain(`missing: no API key: ${problem}`);
  const env = { SERPER_API_KEY: 'k' };
  expect((await runCli(['doctor'], { cwd, env })).stdout).toContain('ok      keys of tools: every variable');
  expect((await runCli(['run', '--dry-run'], { cwd, env })).stdout).not.toContain('missing');
});

test('doctor lists the GPUs that nvidia-smi names, and trainers with their versions', async () => {
  const cwd = temporaryFolder();
  const program = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text, { mode: 0o755 });
  };
  const listed = 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)';
  program('bin/nvidia-smi', `#!/bin/sh\nprintf '${listed}\\n'\n`);
  program('.venv-trl/bin/python', `#!/bin/sh\necho '{"versions": {"trl": "9.8.7"}}'\n`);
  const env = { PATH: `${join(cwd, 'bin')}:${process.env.PATH}` };
  const { stdout } = await runCli(['doctor', '--json'], { cwd, env, alone: true });
  const checks = JSON.parse(stdout) as Check[];
  const found = (name: string) => checks.find(({ what }) => what === name);
  expect(found('GPUs')).toMatchObject({ ok: true, found: '2 x NVIDIA H100 80GB HBM3' });
  expect(found('trainer trl')).toMatchObject({
    ok: true,
    found: expect.stringContaining('9.8.7 in .venv-trl/bin/python, tested with'),
    required: false,
  });
  expect(found('trainer axolotl')).toMatchObject({ required: false });
});

test.each([
  ['a model that can be held to a schema', says('{"word": "yes"}'), true, 'm answers, held to a JSON schema'],
  ['500s', rejects(500, 'CUDA out of memory'), false, 'm: the endpoint answered 500 CUDA out of memory'],
  ['another model', rejects(404, 'no model m'), false, 'no model m (POST http'],
  ['a login page', { body: '<html>Please sign in</html>' }, false, 'an HTML page: Please sign in'],
  ['a key that chats refuse', rejects(401, 'Incorrect key'), false, '401 Incorrect key'],
  ['a cut answer', says('{"wo', {}, { finish_reason: 'length' }), true, 'm answers'],
])('doctor asks the model for a word: %s', async (_, answer, ok, found) => {
  const { baseUrl } = await startTinyServer(({ path }) =>
    path === '/v1/models' ? { body: { data: [{ id: 'other-name' }] } } : answer,
  );
  const cwd = createProject({ teacher: '{ model: { model: x, endpoint: { api_key_env: "" } } }' });
  const { stdout } = await runCli(['doctor', '--json', '--base-url', baseUrl, '--model', 'm'], { cwd });
  const [check] = (JSON.parse(stdout) as Check[]).filter(({ what }) => what.startsWith('endpoint'));
  expect(check).toMatchObject({ ok, found: expect.stringContaining(found) });
  if (!ok) expect(check!.found).toContain('it lists other-name');
});

test('doctor lists each endpoint of a configuration that only makes tasks, once', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'site'));
  writeFileSync(join(cwd, 'site/a.html'), '<h1>A</h1>');
  const check = '{ model: b, endpoint: { base_url: "http://127.0.0.1:10/v1", api_key_env: "" } }';
  writeFileSync(
    join(cwd, 'coa.yaml'),
    `synthesize:\n  corpus: { site: site }\n  model: { model: a, endpoint: { base_url: "http://127.0.0.1:9/v1", api_key_env: "" } }\n  roles: { check: ${check} }\n`,
  );
  const { stdout } = await runCli(['doctor', '--json'], { cwd });
  const endpoints = (JSON.parse(stdout) as Check[]).filter(({ what }) => what.startsWith('endpoint'));
  expect(endpoints.map(({ what, ok }) => [what, ok])).toEqual([
    ['endpoint http://127.0.0.1:9/v1', false],
    ['endpoint http://127.0.0.1:10/v1', false],
  ]);
});

test('doctor loads modules of one’s own, and names the line of one that is broken', async () => {
  const cwd = createProject({
    more: 'judge: { module: judge.ts }\nfilters: { rules: [rule.ts] }\nrl: { rewards: { custom: { short: { module: part.ts, weight: 1 } } } }\n',
  });
  writeFileSync(join(cwd, 'judge.ts'), 'export default () => true;\n');
  writeFileSync(join(cwd, 'part.ts'), 'throw new Error("no key");\n');
  writeFileSync(join(cwd, 'rule.ts'), '\nexport default (x => ;\n');
  const { stdout, code } = await runCli(['doctor', '--json'], { cwd });
  const checks = (JSON.parse(stdout) as Check[]).filter(({ what }) => what === 'own module');
  expect(checks.map(({ ok, found }) => [ok, found])).toEqual([
    [false, expect.stringMatching(/^filters\.rules\.0: rule\.ts:2/)],
    [true, 'judge.module loads'],
    [false, expect.stringContaining('part.ts')],
  ]);
  expect(code).toBe(1);
});
