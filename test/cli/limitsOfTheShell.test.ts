import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const program = path.resolve(import.meta.dirname, '../../bin/coa-distill.js');

function under(limit: string) {
  const script = `${limit}; exec "$0" "$1" --version`;
  return spawnSync('sh', ['-c', script, process.execPath, program], { encoding: 'utf8' });
}

describe('limits of the shell', () => {
  test.each([
    [
      'ulimit -n 100',
      'error: only 100 files may be open at once, and 256 are needed: raise it with `ulimit -n 4096`\n',
    ],
    [
      'ulimit -v 2000000',
      'error: address space is limited to 2.0 GB, and 4 GB are needed: lift it with `ulimit -v unlimited`\n',
    ],
  ])('%s is refused before anything is loaded', (limit, words) => {
    expect(under(limit)).toMatchObject({ status: 2, stdout: '', stderr: words });
  });

  test('address space for some commands alone is warned of', () => {
    const { status, stderr } = under('ulimit -v 8000000');
    expect(stderr).toMatch(
      /^address space is limited to 8\.2 GB: .* may abort below 32 GB; lift it with .*\n$/,
    );
    expect(status).toBe(0);
  });

  test('enough is enough', () => {
    expect(under('ulimit -n 256')).toMatchObject({ status: 0, stderr: '' });
  });
});
