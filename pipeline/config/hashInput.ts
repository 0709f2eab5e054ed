import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { sha256OfFile } from '../../base/files/fileHash.ts';
import { moduleEndings } from '../../base/programs/ownModule.ts';
import { matchedFiles } from '../../base/rows/rowFilesAt.ts';
import { plainFileSize } from '../../base/rows/rowFormat.ts';

/**
 * Identifies an input by content, so that equal inputs have equal names on every machine: base name and SHA-256 of the
 * file; of a module and its relative imports; of a folder's files, links and their paths; or of the matches of a
 * pattern.
 */
export async function inputIdentity(path: string): Promise<string> {
  const identities: string[] = [];
  for (const file of matchedFiles(path) ?? [path]) identities.push(await identityOf(file));
  return identities.join(', ');
}

async function identityOf(path: string): Promise<string> {
  const isFolder = (await stat(path)).isDirectory();
  const hash = isFolder
    ? await hashFolder(path)
    : moduleEndings.includes(extname(path))
      ? await hashModule(path)
      : await hashFile(path);
  return `${basename(path)} sha256:${hash}`;
}

async function hashFile(path: string): Promise<string> {
  await plainFileSize(path);
  return sha256OfFile(path);
}

/** Relative imports of JavaScript or TypeScript; computed paths are not found. */
const relativeImport = /\b(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g;

async function hashModule(path: string): Promise<string> {
  const files = new Set([path]);
  for (const file of files) {
    for (const [, wanted] of (await readFile(file, 'utf8')).matchAll(relativeImport)) {
      const imported = ['', '.js', '.cjs', '.json'].map((ending) =>
        resolve(dirname(file), `${wanted}${ending}`),
      );
      const found = imported.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
      if (found !== undefined) files.add(found);
    }
  }
  return files.size === 1 ? hashFile(path) : hashFiles([...files], dirname(path));
}

async function hashFiles(files: readonly string[], folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files.toSorted())
    hash.update(`${relative(folder, file).split(sep).join('/')}\0${await hashFile(file)}\0`);
  return hash.digest('hex');
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
