import type { LedgerEntry } from '../../schemas/outcome.ts';
import { readLines } from './readLines.ts';
import { stagePaths } from './stagePaths.ts';

/** The entries of a stage's ledger, in the order in which they were written; a torn last line is left out. */
export async function* readLedger(runFolder: string, stage: string): AsyncGenerator<LedgerEntry> {
  for await (const { bytes, whole } of readLines(stagePaths(runFolder, stage).ledger)) {
    if (whole) yield JSON.parse(bytes.toString('utf8')) as LedgerEntry;
  }
}
