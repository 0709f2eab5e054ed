import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { sha256OfFile } from '../../base/files/fileHash.ts';
import { moduleEndings } from '../../base/programs/ownModule.ts';
import { matchedFiles } from '../../base/rows/rowFilesAt.ts';
import { plainFileSize } from '../../base/rows/rowFormat.ts';

/**
 * Names an input by what it holds, so that equal inputs have equal names on every machine: the base name and the
 * SHA-256 of a file's bytes, of a module's with what it imports by relative paths, or of a folder's files and links and their paths in it; of a pattern those of its matches.
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

/** What a file of JavaScript or TypeScript imports by a relative path; a path that is worked out is not seen. */
const relativeImport = /\b(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g;

/** The hash of a module and of all that it imports by relative paths, directly and through others. */
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

/** The hash of files by their paths from a folder on. */
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
