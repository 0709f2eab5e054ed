import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifThere } from '../../base/files/diskError.ts';
import { sha256OfFile } from '../../base/files/fileHash.ts';
import { UserError } from '../../base/userError.ts';
import { DATASET_MANIFEST } from '../../contract/stageTable.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import type { ManifestFile } from '../../schemas/manifest.ts';

/**
 * Lists changes to a dataset's files since it was written: missing or modified. Only reads files modified after the
 * manifest, so that checking an untouched dataset is cheap.
 */
export async function alteredFiles(runFolder: string): Promise<string[]> {
  const manifest = await readManifest(runFolder).catch((error: Error) => {
    if (error instanceof UserError) return error;
    throw error;
  });
  if (manifest instanceof UserError) return [manifest.message];
  if (!manifest) return [];
  const path = join(runFolder, DATASET_MANIFEST);
  const writtenMs = (await lstat(path)).mtimeMs;
  const lines: string[] = [];
  for (const file of manifest.files) {
    const place = join(dirname(path), file.path);
    const what = await alteration({ runFolder, place }, file, writtenMs);
    if (what !== undefined)
      lines.push(
        `${place} ${what} since it was written; restore it, or make the dataset again with --from export`,
      );
  }
  return lines;
}

async function alteration(
  { runFolder, place }: { readonly runFolder: string; readonly place: string },
  { bytes, sha256 }: ManifestFile,
  writtenMs: number,
): Promise<string | undefined> {
  const found = await ifThere(lstat(place));
  if (!found) return 'was removed';
  if (!found.isFile() || found.size !== bytes) return 'was changed';
  if (found.mtimeMs <= writtenMs) return undefined;
  return (await sha256OfFile(place, runFolder)) === sha256 ? undefined : 'was changed';
}
