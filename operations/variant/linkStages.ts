import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../base/files/diskError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { testsFolder } from '../../pipeline/run/openTestStore.ts';

/**
 * Puts the files of finished stages into another run folder, without their bytes being written again where the file
 * system has hard links. A run that goes on to write to one makes its own copy first, see `unshare`.
 */
export async function linkStages(from: string, to: string, stages: readonly StageName[]): Promise<void> {
  for (const stage of stages) await placeFiles(join(from, stage), join(to, stage));
  await placeFiles(testsFolder(from), testsFolder(to));
}

async function placeFiles(from: string, to: string): Promise<void> {
  const names = await filesOf(from);
  if (names.length > 0) await mkdir(to, { recursive: true });
  for (const name of names) await linkOrCopy(join(from, name), join(to, name));
}

/** Names of the files in a folder; none where there is no folder. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    // No hard links here, or too many of one file.
    await copyFile(from, to);
  }
}
