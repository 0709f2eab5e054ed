import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { launcher } from './support/runCli.ts';

const pretended = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`;
const old = ['--import', `data:text/javascript,${encodeURIComponent(pretended)}`];

/** This Node, which says that it is an old one; and the system's, where it is one. */
function oldNodes(): (readonly [version: string, program: string, args: readonly string[]])[] {
  const system =
    spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1) ?? '';
  const isOld = Number.parseInt(system, 10) < 24;
  return [['20.1.0', process.execPath, old], ...(isOld ? [[system, '/usr/bin/node', []] as const] : [])];
}

test.each(oldNodes())('under Node %s the program says in one line what to do', (version, program, args) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bin'));
  copyFileSync(launcher, join(folder, 'bin/coa-distill.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const { status, stdout, stderr } = spawnSync(program, [...args, 'bin/coa-distill.js', 'run'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `coa-distill needs Node 24 or newer, and this is Node ${version}: install Node 24 (https://nodejs.org), or run \`npm install node@24\` next to coa-distill\n`,
  );
});

test('in a clone without its dependencies the program says in one line what to run', () => {
  const folder = temporaryFolder();
  for (const name of ['bin', 'cli']) mkdirSync(join(folder, name));
  copyFileSync(launcher, join(folder, 'bin/coa-distill.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'cli/main.ts'), "import 'commander';\n");
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/coa-distill.js', 'run'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^coa-distill: .*'commander'.*`npm ci` or `make quickstart`.*\n$/);
});
