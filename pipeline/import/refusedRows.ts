import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { ImportedFiles, StageCounts } from '../../schemas/run/runFile.ts';
import { importingStage } from '../run/runFile.ts';
import { readLedger } from '../run/stageJournals.ts';

/** Number of refused rows of one kind, with an example. */
export interface RefusalCount {
  readonly reason: string;
  /** More specific than the reason. */
  readonly code: string;
  readonly rows: number;
  /** Location, path and problem of the first such row. */
  readonly example: string;
}

/** Refused rows of an import by kind, most frequent first. */
export async function refusalCounts(runFolder: string, stage: StageName): Promise<RefusalCount[]> {
  const counts = new Map<string, RefusalCount>();
  for await (const entry of readLedger(runFolder, stage)) {
    if (entry.kind !== 'drop') continue;
    const { reason, evidence } = entry;
    const code = typeof evidence.code === 'string' ? evidence.code : reason;
    const key = `${reason} ${code}`;
    const before = counts.get(key);
    const { path, message, file, row } = evidence;
    const example = `${file}:${row}${path ? `: ${path}` : ''}${message ? `: ${message}` : ''}`;
    counts.set(key, before ? { ...before, rows: before.rows + 1 } : { reason, code, rows: 1, example });
  }
  return [...counts.values()].sort((a, b) => b.rows - a.rows || (a.code < b.code ? -1 : 1));
}

/** Error of an import without any record; usually a wrong format, profile or map. */
export async function importedNothing(
  folder: string,
  stage: StageName,
  { entered, emitted_inputs }: StageCounts,
  imported: ImportedFiles,
): Promise<UserError | undefined> {
  if (stage !== importingStage(imported) || entered === 0 || emitted_inputs > 0) return undefined;
  const refused = await refusalCounts(folder, stage);
  const reasons = refused.map(({ code, rows, example }) => `${rows} ${code}, first at ${example}`);
  return new UserError(
    `none of ${entered} rows could be imported as ${imported.format}: ${reasons.join('. ')}. Correct the rows, or name another format or other options (coa-distill import --help)`,
  );
}
