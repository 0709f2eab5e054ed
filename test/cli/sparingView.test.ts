import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { launcher } from './support/runCli.ts';

const tell =
  'data:text/javascript,process.stderr.write(process.env.MALLOC_MMAP_THRESHOLD_ + " " + process.pid + ";")';

function begun(command: string, env: Record<string, string> = {}) {
  const { stderr, status } = spawnSync(process.execPath, ['--import', tell, launcher, command, '--help'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  expect(status).toBe(0);
  const lives = stderr.split(';').slice(0, -1);
  return lives.map((life) => life.split(' ') as [threshold: string, pid: string]);
}

describe('what the viewer gives back', () => {
  test('is set before it begins, in the same process and with the same flags', () => {
    const lives = begun('view');
    expect(lives.map(([threshold]) => threshold)).toEqual(['undefined', '131072']);
    expect(new Set(lives.map(([, pid]) => pid)).size).toBe(1);
  });

  test('is what the environment says where that says anything, and no matter of other commands', () => {
    expect(begun('view', { MALLOC_MMAP_THRESHOLD_: '4096' })).toMatchObject([['4096', expect.any(String)]]);
    expect(begun('status')).toMatchObject([['undefined', expect.any(String)]]);
  });
});
