import { join } from 'node:path';
import { parseStored, readStored } from '../../base/parseStored.ts';
import { DATASET_MANIFEST } from '../../contract/stageTable.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';

/** The dataset's manifest; null before the dataset is finished. Throws `UserError` when it is damaged. */
export async function readManifest(runFolder: string): Promise<Manifest | null> {
  const parse = (bytes: Buffer) => parseStored(manifestSchema, bytes.toString('utf8'));
  const advice = 'make the dataset again with --from export';
  return (await readStored(join(runFolder, DATASET_MANIFEST), parse, advice)) ?? null;
}
