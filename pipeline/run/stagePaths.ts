import { join } from 'node:path';

/** The files of one stage in a run folder. */
export interface StagePaths {
  readonly folder: string;
  readonly records: string;
  readonly ledger: string;
  readonly stageFile: string;
}

/** Where a stage keeps its files. */
export function stagePaths(runFolder: string, stage: string): StagePaths {
  const folder = join(runFolder, stage);
  return {
    folder,
    records: join(folder, 'records.jsonl'),
    ledger: join(folder, 'ledger.jsonl'),
    stageFile: join(folder, 'stage.json'),
  };
}
