import { type StageName, stageNames } from '../../contract/stageTable.ts';
import type { ImportedFiles, RunFile } from '../../schemas/run/runFile.ts';
import { readRunFile } from './openRun.ts';

/** The stages of a run as it was last begun, in order; all there are where `run.json` is not there. */
export function stagesOfRun(run: RunFile | undefined): StageName[] {
  return stageNames.filter((stage) => run === undefined || run.stage_hashes[stage] !== undefined);
}

/** The stage whose records become rows of a run's dataset: the one before `export`. */
export async function stageBeforeExport(runFolder: string): Promise<StageName> {
  return stagesOfRun(await readRunFile(runFolder)).at(-2) ?? 'filter';
}

/** The stage that imported rows become the records of: rows of `afm` are trajectories, the others traces. */
export function importingStage({ format }: Pick<ImportedFiles, 'format'>): StageName {
  return format === 'afm' ? 'convert' : 'rollout';
}
