import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import config from '../vitest.config.ts';
import { filesNeeding, missingPackages } from './support/missingPrograms.ts';
import { hasReleasedData } from './support/releasedData.ts';
import { slow } from './support/slowFilesFirst.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Which files a project runs. */
function filesOf({ include = [], exclude = [] }: { include?: string[]; exclude?: string[] }): Set<string> {
  const left = new Set(globSync(exclude, { cwd: root }));
  return new Set(globSync(include, { cwd: root }).filter((file) => !left.has(file)));
}

const projects = (
  config as { test: { projects: { test: { name: string; include: string[]; exclude?: string[] } }[] } }
).test.projects.map(({ test: { name, ...globs } }) => ({ name, files: filesOf(globs) }));
const all = globSync('test/**/*.test.ts', { cwd: root });

test('every test file belongs to one project, which its name or folder says', () => {
  const leftOut = filesNeeding(missingPackages());
  for (const file of all) {
    const expected = file.startsWith('test/trainers/')
      ? /\/(?:jobs|jobsRl|jobsVerl|launchersRay|launchersSlurm|rayMachines)\.test\.ts$/.test(file)
        ? 'jobs'
        : 'trainers'
      : file.startsWith('test/released/')
        ? 'released'
        : file.endsWith('.long.test.ts')
          ? 'long'
          : 'quick';
    const names = projects.filter(({ files }) => files.has(file)).map(({ name }) => name);
    const isAbsent = leftOut.includes(file) || (expected === 'released' && !hasReleasedData());
    expect(names, file).toEqual(isAbsent ? [] : [expected]);
  }
});

test('no test is skipped, and none runs alone', () => {
  const switched = /\b(?:test|it|describe)\.(?:skip|only|todo|skipIf|runIf)\b/;
  const found = all.filter((file) => switched.test(readFileSync(`${root}${file}`, 'utf8')));
  expect(found).toEqual([]);
});

test('every wait has an end, and says what it waited for', () => {
  const endless =
    /(?:\bwhile \(|\bfor \(;;).*\n?.*\n?.*\n?.*\bawait (?:(?:delay|sleep|setTimeout)\(|new Promise\(\(|once\(.*'data')/;
  expect('while (!isThere()) await delay(5);').toMatch(endless);
  const exclude = ['test/support/waitUntil.ts', 'test/testFiles.test.ts'];
  const found = globSync('test/**/*.ts', { cwd: root, exclude }).filter((file) =>
    endless.test(readFileSync(`${root}${file}`, 'utf8')),
  );
  expect(found, 'they wait by waitUntil of test/support').toEqual([]);
});

test('every file that begins first is there', () => {
  expect(all).toEqual(expect.arrayContaining(slow.map((name) => `test/${name}.test.ts`)));
});

/** Paths that leave the repository: a sibling folder, more folders up than the file is deep, a file of this machine. */
function pathsOutside(file: string, text: string): string[] {
  const above = '\\.\\./'.repeat(file.split('/').length);
  const reads =
    '(?:readFile|readdir|copyFile|createReadStream|import|(?:cp|open|exists|stat)Sync)(?:Sync)?\\(\\s*';
  // Files of the system, such as /proc and /etc, are on every machine.
  const absolute = `(?:${reads})['"\`](?:file://)?/(?!proc|sys|dev|etc|usr|bin|tmp)\\w`;
  const outside = new RegExp(
    `\\.\\./shared/(?:data|design|reference)|['"\`/]${above}(?!(?:\\.\\./)*etc/)|${absolute}`,
    'g',
  );
  return [...text.matchAll(outside)].map(({ 0: found }) => found);
}

test('tests, benches and scripts read nothing outside of the repository', () => {
  expect(pathsOutside('test/a/b.test.ts', "new URL('../../../data/x', import.meta.url)")).toHaveLength(1);
  const sibling = ['..', 'shared', 'data', 'x'].join('/');
  expect(pathsOutside('test/a/b.test.ts', `readFileSync('${sibling}')`)).toHaveLength(1);
  expect(pathsOutside('bench/a.ts', "readFileSync('/data/x')")).toHaveLength(1);
  expect(pathsOutside('test/a/b.test.ts', "new URL('../../data/x', import.meta.url)")).toEqual([]);
  // The default folder of the released task files, which only project `released` opens.
  const exclude = ['test/support/releasedData.ts', 'test/testFiles.test.ts', 'test/rooms.test.ts'];
  const files = globSync('{test,bench,scripts}/**/*.{ts,js,py,sh}', { cwd: root, exclude });
  const found = files.flatMap((file) =>
    pathsOutside(file, readFileSync(`${root}${file}`, 'utf8')).map((path) => `${file}: ${path}`),
  );
  expect(found).toEqual([]);
});
