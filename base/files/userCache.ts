import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { replaceFile } from './atomicFile.ts';

/** SHA-256 of what follows it, at the start of every file. */
export const CHECKSUM_BYTES = 32;

/**
 * Where something that is costly to make is kept for later starts, in the user's own cache folder (`XDG_CACHE_HOME`, else
 * `~/.cache`).
 *
 * @param name relative, with `/` between its parts
 */
export function userCachePath(name: string): string {
  const cache = process.env.XDG_CACHE_HOME || path.join(homeFolder(), '.cache');
  return path.join(cache, 'coa-distill', name);
}

/** Containers run programs as users that nobody knows: nothing is kept for those, as for users of Debian without a home. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}

/** What {@link rememberBytes} kept; undefined when there is nothing, or it is damaged. */
export async function recallBytes(name: string): Promise<Buffer | undefined> {
  const file = await readFile(userCachePath(name)).catch(() => undefined);
  if (file === undefined || file.length <= CHECKSUM_BYTES) return undefined;
  const content = file.subarray(CHECKSUM_BYTES);
  return checksum(content).equals(file.subarray(0, CHECKSUM_BYTES)) ? content : undefined;
}

/** Keeps bytes for later starts. A folder that can't be written only means making them again. */
export async function rememberBytes(name: string, content: Uint8Array): Promise<void> {
  const target = userCachePath(name);
  try {
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await replaceFile(target, Buffer.concat([checksum(content), content]), 0o600);
  } catch {
    // It is made again at the next start.
  }
}

/** Removes all files of a folder whose names begin so, except for the newest; what can't be removed stays. */
export async function keepNewest(folder: string, beginning: string, count: number): Promise<void> {
  try {
    const names = (await readdir(folder)).filter((name) => name.startsWith(beginning));
    const files = names.map((name) => path.join(folder, name));
    const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })));
    const old = dated.toSorted((a, b) => b.at - a.at).slice(count);
    await Promise.all(old.map(({ file }) => rm(file, { force: true })));
  } catch {
    // Another process tidies up too, or the folder can't be read.
  }
}

function checksum(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}
