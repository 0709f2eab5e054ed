import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import type { StageCounts } from '../../schemas/run/stageFile.ts';
import { importingStage } from './openImportSource.ts';
import { refusalCounts } from './refusalCounts.ts';

/** An import that made no record of any row is the user's mistake: the wrong format, profile or map, most often. */
export async function importedNothing(
  folder: string,
  stage: StageName,
  { entered, emitted_inputs }: StageCounts,
  imported: ImportedFiles,
): Promise<UserError | undefined> {
  if (stage !== importingStage(imported) || entered === 0 || emitted_inputs > 0) return undefined;
  const refused = await refusalCounts(folder, stage);
  const reasons = refused.map(({ code, rows, example }) => `  ${rows} ${code}, first at ${example}`);
  return new UserError(
    `none of ${entered} rows could be imported as ${imported.format}:\n${reasons.join('\n')}\ncorrect the rows, or say another format or other options (coa-distill import --help)`,
  );
}
