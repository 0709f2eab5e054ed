import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { readPlain } from '../../base/files/plainFile.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import { parseSealedAs } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import { type StageFile, stageFileSchema } from '../../schemas/run/runFile.ts';

/** Reads `stage.json`; undefined before the stage has begun. Throws `UserError` if it is damaged. */
export async function readStageFile(runFolder: string, stage: string): Promise<StageFile | undefined> {
  const { stageFile } = stagePaths(runFolder, stage);
  try {
    return parseSealedAs(stageFileSchema, await readPlain(stageFile, { within: runFolder }));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return undefined;
    if (code !== undefined) throw error;
    const why = (error as Error).message;
    throw new UserError(
      `${stageFile}: damaged, or of another version (${why}); redo the stage with --from ${stage}, or restore the file`,
      { cause: error },
    );
  }
}

/** Reads `stage.json` of a stale stage; undefined also if it is damaged. */
export async function intactStageFile(runFolder: string, stage: string): Promise<StageFile | undefined> {
  try {
    return await readStageFile(runFolder, stage);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

export async function writeStageFile(runFolder: string, file: StageFile): Promise<void> {
  await replaceFile(stagePaths(runFolder, file.stage).stageFile, sealedFile(file));
}

/** True if nothing of a stage is pending. A dataset that was deleted is pending again. */
export async function isStageDone(runFolder: string, stage: StageName): Promise<boolean> {
  const file = await readStageFile(runFolder, stage);
  if (file?.complete !== true || file.stale !== undefined) return false;
  const { product } = stageRow(stage);
  return product === undefined || existsSync(join(runFolder, product));
}

export function stagePaths(runFolder: string, stage: string) {
  const folder = join(runFolder, stage);
  return {
    folder,
    records: join(folder, 'records.jsonl'),
    ledger: join(folder, 'ledger.jsonl'),
    stageFile: join(folder, 'stage.json'),
  };
}
