import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { finished, startCli } from '../../cli/support/runCli.ts';
import { isRunning } from '../../support/isRunning.ts';
import { waitUntil } from '../../support/waitUntil.ts';

/** Starts a command that writes the dataset of the run `coa`, and kills it (-9) once so many bytes of it are on the disk. */
export async function killExport(cwd: string, args: readonly string[], bytes: number): Promise<void> {
  const child = startCli(args, { cwd });
  const ended = finished(child);
  const partial = join(cwd, 'runs/coa/dataset.partial');
  const isThere = () => existsSync(partial) && bytesIn(partial) >= bytes;
  await waitUntil(`${bytes} bytes`, () => !isRunning(child) || isThere(), { everyMs: 2 });
  child.kill('SIGKILL');
  const { code, stderr } = await ended;
  expect([0, null], stderr).toContain(code);
}

/** The bytes of all files in a folder, of which some may vanish meanwhile. */
export function bytesIn(folder: string): number {
  return namesIn(folder)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, stats) => sum + (stats?.isFile() ? stats.size : 0), 0);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
