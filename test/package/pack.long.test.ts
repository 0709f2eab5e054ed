import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const folder = sharedFolder();

function run(program: string, args: readonly string[], cwd = folder): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  const tarball = run('npm', ['pack', '--silent', '--pack-destination', folder], repository).trim();
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--omit=dev', `./${tarball}`]);
});

test('both commands answer', () => {
  for (const name of ['coa', 'coa-distill']) {
    expect(run(join(folder, 'node_modules/.bin', name), ['--help'])).toContain('Usage: coa-distill');
  }
});

test('the quickstart runs from the bundled examples', () => {
  const installed = join(folder, 'node_modules/coa-distill');
  const bin = join(folder, 'node_modules/.bin/coa-distill');
  const place = ['--set', `runs_dir=${join(folder, 'runs')}`];
  expect(run(bin, ['run', join(installed, 'examples/quickstart.yaml'), ...place])).toContain(
    'kept: 70 of 99 tasks (71%)',
  );
  const manifest = JSON.parse(readFileSync(join(folder, 'runs/quickstart/dataset/manifest.json'), 'utf8'));
  expect(manifest.rows).toBeGreaterThan(50);
});

test('an example runs as it stands, by the command that is printed', () => {
  const made = run('npx', ['coa-distill', 'init', '--example', 'web', 'my-project']);
  const [, command = ''] = /^Next: (.*)$/m.exec(made) ?? [];
  expect(command).toBe('npx coa-distill run my-project/coa.yaml');
  expect(run('sh', ['-c', command])).toContain('kept: 8 of 12 tasks');
});

test('the library is there, with types', () => {
  const program =
    "import { builtinProfile, parseBlocks } from 'coa-distill'; console.log(parseBlocks(builtinProfile('mhqa'), '<think>a</think>').blocks.length)";
  expect(run(process.execPath, ['--input-type=module', '--eval', program]).trim()).toBe('1');
  expect(existsSync(join(folder, 'node_modules/coa-distill/dist/library.d.ts'))).toBe(true);
});

test('the pages of the viewer are built in, and small', () => {
  const pages = join(folder, 'node_modules/coa-distill/dist/viewer/pages');
  const files = JSON.parse(readFileSync(join(pages, 'files.json'), 'utf8')) as string[];
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(pages, name))).length, 0);
  expect(bytes).toBeLessThan(300_000);
  expect(existsSync(join(pages, 'main.tsx'))).toBe(false);
  const bin = join(folder, 'node_modules/.bin/coa-distill');
  expect(run(bin, ['view', 'quickstart', '--rows', 'state=kept', '--json']).trim().split('\n')).toHaveLength(
    70,
  );
});

test('tests and benchmarks stay at home', () => {
  for (const name of ['test', 'bench', '.ci']) {
    expect(existsSync(join(folder, 'node_modules/coa-distill', name))).toBe(false);
  }
});

test('what is installed is light, and carries no second Node', () => {
  const installed = join(folder, 'node_modules');
  const kilobytes = Number(run('du', ['-sk', installed]).split('\t')[0]);
  expect(kilobytes).toBeLessThan(245_000);
  expect(existsSync(join(installed, 'node'))).toBe(false);
});

test('the package says where it comes from, and the changelog when', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/coa-distill/package.json'), 'utf8'));
  expect(manifest).toMatchObject({
    repository: { type: 'git' },
    bugs: { url: expect.stringMatching(/issues$/) },
  });
  const changelog = readFileSync(join(folder, 'node_modules/coa-distill/CHANGELOG.md'), 'utf8');
  expect(changelog).toMatch(new RegExp(`^## \\[${manifest.version}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'));
});
