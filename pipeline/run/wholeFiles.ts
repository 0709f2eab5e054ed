import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import { parseSealedAs, parseStored, readStored } from '../../base/parseStored.ts';
import { DATASET_MANIFEST } from '../../contract/stageTable.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import { type BalanceTable, balanceFileSchema } from '../../schemas/run/balanceTable.ts';
import { type TargetFile, targetFileSchema } from '../../schemas/run/targetFile.ts';

/** Reads the dataset's manifest; null before the dataset is finished. Throws `UserError` if it is damaged. */
export async function readManifest(runFolder: string): Promise<Manifest | null> {
  const parse = (bytes: Buffer) => parseStored(manifestSchema, bytes.toString('utf8'));
  const advice = 'make the dataset again with --from export';
  return (await readStored([runFolder, DATASET_MANIFEST], parse, advice)) ?? null;
}

const BALANCE_FILE = 'balance/balance.json';

/** Writes a run's counts before and after balancing. The stage's folder must exist. */
export function writeBalanceTable(runFolder: string, table: BalanceTable): Promise<void> {
  return replaceFile(join(runFolder, BALANCE_FILE), sealedFile({ dimensions: table }));
}

/** Reads a run's counts before and after balancing; null without balancing. Throws `UserError` if damaged. */
export async function readBalanceTable(runFolder: string): Promise<BalanceTable | null> {
  const parse = (bytes: Buffer) => parseSealedAs(balanceFileSchema, bytes).dimensions;
  const advice = 'redo the stage with --from balance';
  return (await readStored([runFolder, BALANCE_FILE], parse, advice)) ?? null;
}

const TARGET_FILE = 'target.json';

/** Reads a run's windows; null without a target. Throws `UserError` if the file is damaged. */
export async function readTargetFile(runFolder: string): Promise<TargetFile | null> {
  const parse = (bytes: Buffer) => parseSealedAs(targetFileSchema, bytes);
  const advice = 'remove it: windows go on behind the tasks that are done';
  return (await readStored([runFolder, TARGET_FILE], parse, advice)) ?? null;
}

export function writeTargetFile(runFolder: string, file: TargetFile): Promise<void> {
  return replaceFile(join(runFolder, TARGET_FILE), sealedFile(file));
}

/** Deletes a run's windows, so that it works on all tasks. */
export function removeTargetFile(runFolder: string): Promise<void> {
  return rm(join(runFolder, TARGET_FILE), { force: true });
}
