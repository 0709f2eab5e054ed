import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { replaceFile } from './atomicFile.ts';

/** Size of the SHA-256 at the start of every file; it covers the rest. */
export const CHECKSUM_BYTES = 32;

/**
 * Path of a costly intermediate result in the user's cache folder (`XDG_CACHE_HOME`, otherwise `~/.cache`).
 * @param name relative, with `/` between its parts
 */
export function userCachePath(name: string): string {
  const cache = process.env.XDG_CACHE_HOME || path.join(homeFolder(), '.cache');
  return path.join(cache, 'coa-distill', name);
}

/**
 * Containers may run as users without an account: nothing is cached for those, as for Debian users without a home.
 */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}

/** Bytes stored by {@link rememberBytes}; undefined if missing or damaged. */
export async function recallBytes(name: string): Promise<Buffer | undefined> {
  const file = await readFile(userCachePath(name)).catch(() => undefined);
  if (file === undefined || file.length <= CHECKSUM_BYTES) return undefined;
  const content = file.subarray(CHECKSUM_BYTES);
  return checksum(content).equals(file.subarray(0, CHECKSUM_BYTES)) ? content : undefined;
}

/** Stores bytes for later starts. Failure to write only means recomputing them. */
export async function rememberBytes(name: string, content: Uint8Array): Promise<void> {
  const target = userCachePath(name);
  try {
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await replaceFile(target, Buffer.concat([checksum(content), content]), 0o600);
  } catch {
    // Recomputed at the next start.
  }
}

/** Removes all files in a folder with this name prefix except the newest; files that cannot be removed stay. */
export async function keepNewest(folder: string, beginning: string, count: number): Promise<void> {
  try {
    const names = (await readdir(folder)).filter((name) => name.startsWith(beginning));
    const files = names.map((name) => path.join(folder, name));
    const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })));
    const old = dated.toSorted((a, b) => b.at - a.at).slice(count);
    await Promise.all(old.map(({ file }) => rm(file, { force: true })));
  } catch {
    // Another process is cleaning up too, or the folder is unreadable.
  }
}

function checksum(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}
