import { createHash } from 'node:crypto';
import { readdir, readlink, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { sha256OfFile } from '../../base/files/fileHash.ts';
import { matchedFiles } from '../../base/rows/rowFilesAt.ts';
import { plainFileSize } from '../../base/rows/rowFormat.ts';

/**
 * Names an input by what it holds, so that equal inputs have equal names on every machine: the base name and the
 * SHA-256 of a file's bytes, or of a folder's files and links and their paths in it; of a pattern those of its matches.
 */
export async function inputIdentity(path: string): Promise<string> {
  const identities: string[] = [];
  for (const file of matchedFiles(path) ?? [path]) identities.push(await identityOf(file));
  return identities.join(', ');
}

async function identityOf(path: string): Promise<string> {
  const isFolder = (await stat(path)).isDirectory();
  const hash = isFolder ? await hashFolder(path) : await hashFile(path);
  return `${basename(path)} sha256:${hash}`;
}

async function hashFile(path: string): Promise<string> {
  await plainFileSize(path);
  return sha256OfFile(path);
}

async function hashFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isLink: entry.isSymbolicLink() }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const hash = createHash('sha256');
  for (const { path, isLink } of found) {
    const content = isLink ? `-> ${await readlink(path)}` : await hashFile(path);
    hash.update(`${relative(folder, path).split(sep).join('/')}\0${content}\0`);
  }
  return hash.digest('hex');
}
