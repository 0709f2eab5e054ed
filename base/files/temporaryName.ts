import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isProcessAlive } from '../processes/processIdentity.ts';

/** Suffix after the host in a temporary name: the writing process and a number. */
const writerAndNumber = /^(\d{1,9})(?:\.[0-9a-f]+)?\.tmp$/;

/**
 * Temporary name for a file or folder, in the same folder so that it can be renamed. Removes leftovers of killed
 * processes of this machine for the same name.
 */
export async function temporaryName(path: string): Promise<string> {
  const name = `.${basename(path)}.${hostname()}.`;
  await removeAbandoned(dirname(path), name);
  return join(dirname(path), `${name}${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
}

/** Leftovers that cannot be removed stay. */
async function removeAbandoned(folder: string, name: string): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  for (const file of files) {
    const pid = file.startsWith(name) ? writerAndNumber.exec(file.slice(name.length))?.[1] : undefined;
    if (pid === undefined || isProcessAlive(Number(pid), null)) continue;
    await rm(join(folder, file), { recursive: true, force: true }).catch(() => undefined);
  }
}

const paths = new Set<string>();

/** Removes a file even if the process ends abruptly, as when its output is no longer read. */
export function removeAtExit(path: string): void {
  if (paths.size === 0) process.on('exit', removeAll);
  paths.add(path);
}

/** Keeps a file, or forgets a removed one. */
export function keepAtExit(path: string): void {
  paths.delete(path);
  if (paths.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const path of paths) rmSync(path, { force: true });
}
