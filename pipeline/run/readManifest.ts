import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { parseStored } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import { DATASET_MANIFEST } from '../../contract/stageTable.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';

/** The dataset's manifest; null before the dataset is finished. Throws `UserError` when it is damaged. */
export async function readManifest(runFolder: string): Promise<Manifest | null> {
  const path = join(runFolder, DATASET_MANIFEST);
  try {
    return parseStored(manifestSchema, await readFile(path, 'utf8'));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    const why = (error as Error).message;
    throw new UserError(`${path}: damaged (${why}); make the dataset again with --from export`, {
      cause: error,
    });
  }
}
