import { type StageName, stagesAfter } from '../../contract/stageTable.ts';
import { intactStageFile, readStageFile, writeStageFile } from './stageFiles.ts';
import { discardStage } from './stageLog.ts';

/**
 * Marks `from` and all later stages as stale; their output stays until they rerun. Marks the last stage first, so that
 * an interruption leaves a consistent prefix.
 */
export async function markStaleFrom(runFolder: string, from: StageName): Promise<void> {
  await markStaleAfter(runFolder, from);
  await note(runFolder, from, 'asked');
}

export async function markStaleAfter(runFolder: string, stage: StageName): Promise<void> {
  for (const name of stagesAfter(stage).toReversed()) await note(runFolder, name, 'inputs');
}

/**
 * Marks a finished stage as growing: it will get more records and keeps the existing ones, and so do later per-record
 * stages with stable input indexes. All other later stages become stale.
 */
export async function markGrowing(runFolder: string, stage: StageName): Promise<void> {
  const later = stagesAfter(stage);
  const growing = new Set<StageName>();
  for (const name of later) {
    const file = await intactStageFile(runFolder, name);
    if (file?.index_of === undefined || file.stale !== undefined) break;
    growing.add(name);
  }
  for (const name of later.toReversed()) {
    if (growing.has(name)) await markIncomplete(runFolder, name);
    else await note(runFolder, name, 'inputs');
  }
  await markIncomplete(runFolder, stage);
}

async function markIncomplete(runFolder: string, stage: StageName): Promise<void> {
  const file = await readStageFile(runFolder, stage);
  if (file) await writeStageFile(runFolder, { ...file, complete: false });
}

async function note(runFolder: string, stage: StageName, why: 'asked' | 'inputs'): Promise<void> {
  const file = await intactStageFile(runFolder, stage);
  if (file) await writeStageFile(runFolder, { ...file, complete: false, stale: why });
  // The settings behind a damaged file are unknown.
  else await discardStage(runFolder, stage);
}
