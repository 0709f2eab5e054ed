import { readFile } from 'node:fs/promises';
import { type StageFile, stageFileSchema } from '../../schemas/run/stageFile.ts';
import { systemErrorCode } from '../files/diskError.ts';
import { replaceFile } from '../files/replaceFile.ts';
import { stagePaths } from './stagePaths.ts';

/** Reads a stage's `stage.json`; undefined before the stage has begun, or when the file is damaged. */
export async function readStageFile(runFolder: string, stage: string): Promise<StageFile | undefined> {
  try {
    const parsed = stageFileSchema.safeParse(
      JSON.parse(await readFile(stagePaths(runFolder, stage).stageFile, 'utf8')),
    );
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Replaces a stage's `stage.json`. */
export async function writeStageFile(runFolder: string, file: StageFile): Promise<void> {
  await replaceFile(stagePaths(runFolder, file.stage).stageFile, `${JSON.stringify(file, null, 2)}\n`);
}
