/**
 * Lints every Python file of the product by ruff, compiled to WebAssembly: no Python is needed for it.
 *
 *     node scripts/check-python.ts
 *
 * Prints each finding as `file:line: rule: message` and ends with 1 where there is one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { PositionEncoding, Workspace } from '@astral-sh/ruff-wasm-nodejs';

const settings = {
  'line-length': 128,
  'target-version': 'py310',
  // B905 asks for an argument of `zip` that Python 3.9 lacks.
  lint: { select: ['E', 'F', 'W', 'I', 'B', 'UP'], ignore: ['B905'] },
};

const workspace = new Workspace(settings, PositionEncoding.Utf16);
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.py'], {
  encoding: 'utf8',
});
for (const file of listed.split('\n').filter((name) => name !== '' && !name.startsWith('test/'))) {
  for (const { start_location, code, message } of workspace.check(readFileSync(file, 'utf8'))) {
    console.error(`${file}:${start_location.row}: ${code}: ${message}`);
    process.exitCode = 1;
  }
}
