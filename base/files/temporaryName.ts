import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isProcessAlive } from '../processes/processIdentity.ts';

/** What follows the host in a temporary name: the process that writes, and what tells its files apart. */
const writerAndNumber = /^(\d{1,9})(?:\.[0-9a-f]+)?\.tmp$/;

/**
 * A name for a file or folder until it is whole: beside its own, so that it can be renamed. What killed processes of this
 * machine left there for the same name is removed.
 */
export async function temporaryName(path: string): Promise<string> {
  const name = `.${basename(path)}.${hostname()}.`;
  await removeAbandoned(dirname(path), name);
  return join(dirname(path), `${name}${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
}

/** What can't be removed stays. */
async function removeAbandoned(folder: string, name: string): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  for (const file of files) {
    const pid = file.startsWith(name) ? writerAndNumber.exec(file.slice(name.length))?.[1] : undefined;
    if (pid === undefined || isProcessAlive(Number(pid), null)) continue;
    await rm(join(folder, file), { recursive: true, force: true }).catch(() => undefined);
  }
}

const paths = new Set<string>();

/** Removes a file also where the process ends without a word, as when nobody reads its output any more. */
export function removeAtExit(path: string): void {
  if (paths.size === 0) process.on('exit', removeAll);
  paths.add(path);
}

/** Lets a file stay, or forgets one that was removed. */
export function keepAtExit(path: string): void {
  paths.delete(path);
  if (paths.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const path of paths) rmSync(path, { force: true });
}
