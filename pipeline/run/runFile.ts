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

/** The configuration's name in the file of an imported run without one. */
export const defaultsFile = '(defaults)';

/** Reads a run folder's `run.json`; undefined when there is none. Throws `UserError` when it is damaged. */
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

/** What a later version's file says whatever else it holds. */
const newerFileSchema = z.object({ format_version: z.int().min(2), coa_distill_version: z.string() });

/** Notes formats that were added to the dataset of a run that is locked. */
export async function noteAddedFormats(folder: string, added: readonly DatasetFormatName[]): Promise<void> {
  const run = await readRunFile(folder);
  if (run) await writeRunFile(folder, { ...run, added_formats: [...(run.added_formats ?? []), ...added] });
}

/** What `run.json` says of when and by what a run is made. */
export function runFacts(clock: Clock) {
  return {
    created_at: new Date(clock.now()).toISOString(),
    coa_distill_version: packageVersion(),
    node_version: process.version,
  };
}

/** Replaces `run.json`. */
export function writeRunFile(folder: string, run: RunFile): Promise<void> {
  return replaceFile(join(folder, 'run.json'), sealedFile(run));
}

/** The stages of a run as it was last begun, in order; all that make a dataset where `run.json` is not there. */
export function stagesOfRun(run: RunFile | undefined): readonly StageName[] {
  if (run === undefined) return datasetStageNames;
  return stageNames.filter((stage) => run.stage_hashes[stage] !== undefined);
}

/** Whether a run makes tasks from documents. */
export function isSynthesis({ stage_hashes }: Pick<RunFile, 'stage_hashes'>): boolean {
  return synthesisStageNames.some((name) => stage_hashes[name] !== undefined);
}

/** The stage whose records become rows of a run's dataset: the one before `export`. */
export async function stageBeforeExport(runFolder: string): Promise<StageName> {
  return stagesOfRun(await readRunFile(runFolder)).at(-2) ?? 'filter';
}

/**
 * The stage that imported rows become the records of: rows of `afm` are trajectories, the others traces. Rows of `sft`
 * become no records: they are mixed into the dataset, of which no trajectory is part.
 */
export function importingStage({ format }: Pick<ImportedFiles, 'format'>): StageName {
  return format === 'afm' || format === 'sft' ? 'convert' : 'rollout';
}
