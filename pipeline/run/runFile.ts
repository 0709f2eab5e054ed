import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { readPlain } from '../../base/files/plainFile.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import { jsonValueOf } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import { parseSealedAs } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import {
  datasetStageNames,
  type StageName,
  stageNames,
  synthesisStageNames,
} from '../../contract/stageTable.ts';
import type { DatasetFormatName } from '../../schemas/config/datasetFormatNames.ts';
import { type ImportedFiles, type RunFile, runFileSchema } from '../../schemas/run/runFile.ts';

/** Configuration file name of an imported run without one. */
export const defaultsFile = '(defaults)';

/** Reads `run.json`; undefined if it does not exist. Throws `UserError` if it is damaged. */
export async function readRunFile(folder: string): Promise<RunFile | undefined> {
  const path = join(folder, 'run.json');
  let bytes: Buffer = Buffer.alloc(0);
  try {
    bytes = await readPlain(path, { within: folder });
    return parseSealedAs(runFileSchema, bytes);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const newer = newerFileSchema.safeParse(jsonValueOf(bytes.toString('utf8'))).data;
    throw new UserError(
      newer
        ? `${path}: made by coa-distill version ${newer.coa_distill_version}, whose files this version does not know; update coa-distill`
        : `${path}: no longer a run's file (${(error as Error).message}); restore it, or remove the folder and run again`,
      { cause: error },
    );
  }
}

/** Minimal schema that also fits files of later versions. */
const newerFileSchema = z.object({ format_version: z.int().min(2), coa_distill_version: z.string() });

/** Adds dataset formats to `run.json` of a locked run. */
export async function noteAddedFormats(folder: string, added: readonly DatasetFormatName[]): Promise<void> {
  const run = await readRunFile(folder);
  if (run) await writeRunFile(folder, { ...run, added_formats: [...(run.added_formats ?? []), ...added] });
}

export function runFacts(clock: Clock) {
  return {
    created_at: new Date(clock.now()).toISOString(),
    coa_distill_version: packageVersion(),
    node_version: process.version,
  };
}

export function writeRunFile(folder: string, run: RunFile): Promise<void> {
  return replaceFile(join(folder, 'run.json'), sealedFile(run));
}

/** Stages of a run in order, as last started; default without `run.json`: all dataset stages. */
export function stagesOfRun(run: RunFile | undefined): readonly StageName[] {
  if (run === undefined) return datasetStageNames;
  return stageNames.filter((stage) => run.stage_hashes[stage] !== undefined);
}

/** True for a run that makes tasks from documents. */
export function isSynthesis({ stage_hashes }: Pick<RunFile, 'stage_hashes'>): boolean {
  return synthesisStageNames.some((name) => stage_hashes[name] !== undefined);
}

/** Last stage before `export`, whose records become dataset rows. */
export async function stageBeforeExport(runFolder: string): Promise<StageName> {
  return stagesOfRun(await readRunFile(runFolder)).at(-2) ?? 'filter';
}

/**
 * Stage whose records the imported rows become: trajectories for `afm`, otherwise traces. Rows of `sft` become no
 * records; they are mixed into the dataset unchanged.
 */
export function importingStage({ format }: Pick<ImportedFiles, 'format'>): StageName {
  return format === 'afm' || format === 'sft' ? 'convert' : 'rollout';
}
