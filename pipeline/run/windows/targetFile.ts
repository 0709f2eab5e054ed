import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../base/files/atomicFile.ts';
import { sealedFile } from '../../../base/journal/sealed.ts';
import { parseSealedAs, readStored } from '../../../base/parseStored.ts';
import { type TargetFile, targetFileSchema } from '../../../schemas/run/targetFile.ts';

function targetPath(runFolder: string): string {
  return join(runFolder, 'target.json');
}

/** A run's windows; null for a run without a target. Throws `UserError` when the file is damaged. */
export async function readTargetFile(runFolder: string): Promise<TargetFile | null> {
  const parse = (bytes: Buffer) => parseSealedAs(targetFileSchema, bytes);
  const advice = 'remove it: windows go on behind the tasks that are done';
  return (await readStored(targetPath(runFolder), parse, advice)) ?? null;
}

/** Replaces a run's windows. */
export function writeTargetFile(runFolder: string, file: TargetFile): Promise<void> {
  return replaceFile(targetPath(runFolder), sealedFile(file));
}

/** Takes a run's windows away: it works on all tasks. */
export function removeTargetFile(runFolder: string): Promise<void> {
  return rm(targetPath(runFolder), { force: true });
}
