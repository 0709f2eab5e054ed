import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ifThere } from '../../base/files/diskError.ts';
import { UserError } from '../../base/userError.ts';
import type { Manifest } from '../../schemas/manifest.ts';

/**
 * Compares a dataset folder with its manifest: every file is there with its content, and nothing else is.
 *
 * @throws UserError that names the first difference
 */
export async function verifyDataset(folder: string, manifest: Manifest): Promise<void> {
  const known = new Set(['manifest.json', ...manifest.files.map((file) => file.path)]);
  const foreign = (await filesOf(folder)).find((file) => !known.has(file));
  if (foreign !== undefined)
    throw new UserError(`${join(folder, foreign)}: not a file of the dataset; move it out of the folder`);
  for (const { path, sha256 } of manifest.files) {
    const file = join(folder, path);
    const found = await hashOf(file);
    if (found === sha256) continue;
    const what = found === undefined ? 'is missing' : 'was changed since it was written';
    throw new UserError(
      `${file} ${what}: its SHA-256 is not the manifest's; put the file back, or make the dataset again with coa-distill run and --from export`,
    );
  }
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();
}

/** The SHA-256 of a file in hexadecimal digits; undefined when there is no such file. */
export async function hashOf(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  return ifThere(pipeline(createReadStream(file), hash).then(() => hash.digest('hex')));
}
