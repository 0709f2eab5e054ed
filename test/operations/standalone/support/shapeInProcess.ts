import { readFileSync } from 'node:fs';
import { openRows } from '../../../../operations/standalone/openRows.ts';
import { OutputFiles } from '../../../../operations/standalone/outputFiles.ts';
import type { OnBadRow } from '../../../../operations/standalone/rowStage.ts';
import { leavesAtOnce, type RowRecord, type RowStage } from '../../../../operations/standalone/rowStage.ts';
import { type RowOutcomes, runRows } from '../../../../operations/standalone/runRows.ts';
import { type LedgerEntry, ledgerEntrySchema } from '../../../../schemas/outcome.ts';

/** Works through files as a command does, without a process of its own. */
export async function shapeInProcess<T extends RowRecord>(
  files: readonly string[],
  stage: RowStage<T>,
  out: string,
  onBadRow: OnBadRow = 'stop',
): Promise<RowOutcomes> {
  const { signal } = new AbortController();
  const source = await openRows(files, { rereadable: !leavesAtOnce(stage), signal });
  const output = await OutputFiles.create({ out, ledger: undefined }, source.files);
  try {
    const counts = await runRows(source.rows, stage, { output, onBadRow, signal });
    await output.commit();
    return counts;
  } finally {
    await output.discard();
    await source.close();
  }
}

/** The lines of a text file. */
export function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

/** A ledger, which must be what its schema says. */
export function readLedgerFile(file: string): LedgerEntry[] {
  return linesOf(file).map((line) => ledgerEntrySchema.parse(JSON.parse(line)));
}
