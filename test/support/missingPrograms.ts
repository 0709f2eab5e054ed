import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** System packages that some tests need, each with a command that succeeds only where it is installed. */
const packages = {
  bubblewrap: ['bwrap', '--version'],
  python3: ['/usr/bin/python3', '-c', ''],
  'python3-numpy': ['/usr/bin/python3', '-c', 'import numpy'],
  iproute2: ['ip', '-V'],
} as const;
type SystemPackage = keyof typeof packages;

const runs = ([program, ...args]: readonly [string, ...string[]]) =>
  spawnSync(program, args, {
    stdio: 'ignore',
    // Daemons and `ip` are in sbin, which is not on every user's path.
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  }).status === 0;

/** Packages that this machine lacks. */
export function missingPackages(): SystemPackage[] {
  return Object.entries(packages).flatMap(([name, command]) =>
    runs(command) ? [] : [name as SystemPackage],
  );
}

/** Test files that say in a comment of their own, `// Needs bubblewrap, iproute2.`, that they need one of the packages. */
export function filesNeeding(missing: readonly SystemPackage[]): string[] {
  if (missing.length === 0) return [];
  return globSync('test/**/*.test.ts', { cwd: root }).filter((file) => {
    const [, needed = ''] = /^\/\/ Needs ([^.\n]+)\.$/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
    return needed.split(', ').some((name) => missing.some((one) => one === name));
  });
}

/**
 * The test files that can't run on this machine, after saying so in one line.
 *
 * @throws Error in CI, where nothing may be left out
 */
export function filesLeftOut(): string[] {
  const missing = missingPackages();
  const files = filesNeeding(missing);
  if (files.length === 0) return files;
  const line = `not run: ${files.length} test files that need ${missing.join(', ')}, which this machine lacks`;
  if (process.env.CI) throw new Error(line);
  process.stderr.write(`${line}\n`);
  return files;
}
