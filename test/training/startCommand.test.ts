import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startCommand } from '../../cli/train/trainFromCommandLine.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test.each(["-a $(touch pwned) 'b'", 'plain', '.'])(
  'the printed command starts a job in folder %s',
  (name) => {
    const cwd = temporaryFolder();
    const folder = path.join(cwd, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'a job.sh'), 'pwd\n');
    const command = startCommand(name, ['bash', 'a job.sh']);
    expect(execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' })).toBe(
      `${folder.replace(/\/$/, '')}\n`,
    );
    expect(existsSync(path.join(cwd, 'pwned'))).toBe(false);
  },
);
