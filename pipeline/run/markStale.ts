import { type StageName, stagesAfter } from '../../contract/stageTable.ts';
import { intactStageFile, readStageFile, writeStageFile } from './stageFiles.ts';
import { discardStage } from './stageLog.ts';

/**
 * Notes on disk that all of `from` and of every later stage is stale. What they made stays until they
 * begin. The last is noted first: whenever this is cut off, what counts as done is a whole beginning.
 */
export async function markStaleFrom(runFolder: string, from: StageName): Promise<void> {
  await markStaleAfter(runFolder, from);
  await note(runFolder, from, 'asked');
}

/** Notes that everything after a stage is stale, since the stage itself is. */
export async function markStaleAfter(runFolder: string, stage: StageName): Promise<void> {
  for (const name of stagesAfter(stage).toReversed()) await note(runFolder, name, 'inputs');
}

/**
 * Notes that a stage that is done will have further records, and keeps what it has: so do stages after it that look at
 * one record at a time and call their inputs by places that stay. All others after it are stale.
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

/** Notes that some of a stage is pending, and keeps the rest. */
async function markIncomplete(runFolder: string, stage: StageName): Promise<void> {
  const file = await readStageFile(runFolder, stage);
  if (file) await writeStageFile(runFolder, { ...file, complete: false });
}

async function note(runFolder: string, stage: StageName, why: 'asked' | 'inputs'): Promise<void> {
  const file = await intactStageFile(runFolder, stage);
  if (file) await writeStageFile(runFolder, { ...file, complete: false, stale: why });
  // Of a damaged one nobody knows what it was made with.
  else await discardStage(runFolder, stage);
}
