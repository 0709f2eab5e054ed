import type { LedgerEntry } from '../../schemas/outcome.ts';
import { damagedLine } from './parseStored.ts';
import { type RawLine, readLines } from './readLines.ts';
import { stagePaths } from './stagePaths.ts';

/** The entries of a stage's ledger, in the order in which they were written; a torn last line is left out. */
export async function* readLedger(runFolder: string, stage: string): AsyncGenerator<LedgerEntry> {
  for await (const line of readLines(stagePaths(runFolder, stage).ledger)) {
    if (line.whole) yield parseLedgerLine(runFolder, stage, line);
  }
}

/** A line of a ledger. Throws `UserError` when it is damaged. */
export function parseLedgerLine(
  runFolder: string,
  stage: string,
  { bytes, number }: Pick<RawLine, 'bytes' | 'number'>,
): LedgerEntry {
  try {
    return JSON.parse(bytes.toString('utf8')) as LedgerEntry;
  } catch (error) {
    throw damagedLine(stagePaths(runFolder, stage).ledger, number, stage, (error as Error).message);
  }
}
