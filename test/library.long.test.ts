import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { libraryPrograms } from './support/libraryPrograms.ts';
import { temporaryFolder } from './support/temporaryFolder.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** What a program says that it prints: the comments behind its `console.log`. */
function promised(program: string): string[] {
  return [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, words = '']) => words);
}

test('the examples are typed, run one after another, and print what they say', () => {
  const folder = temporaryFolder();
  symlinkSync(join(repository, 'examples'), join(folder, 'examples'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'programs'));
  const from = `'${pathToFileURL(join(repository, 'library.ts')).pathname}'`;
  const files = libraryPrograms.map((program, at) => {
    const file = join(folder, 'programs', `${String(at).padStart(2, '0')}.ts`);
    writeFileSync(file, program.replace("'coa-distill'", from));
    return file;
  });
  const compilerOptions = { noUnusedLocals: false, rewriteRelativeImportExtensions: false };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const project = { extends: join(repository, 'tsconfig.json'), compilerOptions, files, include: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  execFileSync(join(repository, 'node_modules/.bin/tsc'), ['--project', folder], {
    cwd: folder,
    stdio: 'pipe',
  });
  const runAll = files
    .map((file) => `console.log('program'); await import(${JSON.stringify(file)});`)
    .join('\n');
  writeFileSync(join(folder, 'all.mjs'), runAll);
  const printed = execFileSync(process.execPath, ['all.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(printed.trim().split('\n')).toEqual(
    libraryPrograms.flatMap((program) => ['program', ...promised(program)]),
  );
});
