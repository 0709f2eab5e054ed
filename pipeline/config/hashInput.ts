import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Names an input by what it holds, so that equal inputs have equal names on every machine: the base name and the
 * SHA-256 of a file's bytes, or of a folder's files and their paths in it.
 */
export async function inputIdentity(path: string): Promise<string> {
  const isFolder = (await stat(path)).isDirectory();
  const hash = isFolder ? await hashFolder(path) : await hashFile(path);
  return `${basename(path)} sha256:${hash}`;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function hashFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${relative(folder, file).split(sep).join('/')}\0${await hashFile(file)}\0`);
  }
  return hash.digest('hex');
}
