import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'vitest';
import { writeRowFiles } from '../../../support/rowFiles.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { delayedCopy } from './delayedCopy.ts';

/** Tries schedules with delays at every `await` of `base`: no promise may stay open, and none give another's answer. */
export function trySchedules(kind: 'simulated' | 'real', first: number, count: number): void {
  const folder = temporaryFolder();
  writeRowFiles(folder);
  const program = path.join(delayedCopy(), 'test/base/schedules/support/runSchedules.ts');
  const started = [program, kind, String(first), String(count), folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, started, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const { fulfilled, rejected } = JSON.parse(stdout) as Record<'fulfilled' | 'rejected', number>;
  expect(fulfilled).toBeGreaterThan(10 * count);
  expect(rejected).toBeGreaterThan(count);
}
