import { type RawLine, readLines } from '../../base/journal/readLines.ts';
import { parseSealed } from '../../base/journal/sealed.ts';
import { missingLines } from '../../base/parseStored.ts';
import { type LedgerEntry, ledgerEntrySchema } from '../../schemas/outcome.ts';
import { type RetryLine, retryLineSchema } from '../../schemas/run/journalLines.ts';
import { damagedLine } from './damagedLine.ts';
import { readStageFile } from './stageFiles.ts';
import { stagePaths } from './stagePaths.ts';

/** Keys of all kinds of lines. */
const ledgerKeys = [...ledgerEntrySchema.options, retryLineSchema].flatMap(({ shape }) => Object.keys(shape));
const retryPrefix = Buffer.from('{"kind":"retry"');

/**
 * The entries of a stage's ledger that count, in the order in which they were written: a failure whose input is pending
 * again since is history. A torn last line is left out.
 *
 * @throws UserError when a line is damaged, or when lines of a finished stage are missing
 */
export async function* readLedger(runFolder: string, stage: string): AsyncGenerator<LedgerEntry> {
  const retriedAt = await lastRetries(runFolder, stage);
  let count = 0;
  for await (const line of readLines(stagePaths(runFolder, stage).ledger)) {
    if (!line.whole || isRetry(line)) continue;
    const entry = parseLedgerLine(runFolder, stage, line) as LedgerEntry;
    if (line.number <= (retriedAt.get(entry.index) ?? 0)) continue;
    count += 1;
    yield entry;
  }
  await refuseMissing(runFolder, stage, count);
}

async function refuseMissing(runFolder: string, stage: string, count: number): Promise<void> {
  const file = await readStageFile(runFolder, stage);
  if (file?.complete !== true) return;
  const counts = [...Object.values(file.dropped), ...Object.values(file.failed)];
  const written = counts.reduce((sum, of) => sum + of, 0);
  if (count !== written) throw missingLines(stagePaths(runFolder, stage).ledger, stage, { count, written });
}

/** A line of a ledger. Throws `UserError` when it is damaged. */
export function parseLedgerLine(
  runFolder: string,
  stage: string,
  { bytes, number }: Pick<RawLine, 'bytes' | 'number'>,
): LedgerEntry | RetryLine {
  try {
    return parseSealed(bytes, ledgerKeys) as LedgerEntry | RetryLine;
  } catch (error) {
    throw damagedLine(stagePaths(runFolder, stage).ledger, number, stage, (error as Error).message, bytes);
  }
}

/** Input -> number of the last line by which it is pending again. */
async function lastRetries(runFolder: string, stage: string): Promise<ReadonlyMap<number, number>> {
  const retriedAt = new Map<number, number>();
  for await (const line of readLines(stagePaths(runFolder, stage).ledger)) {
    if (line.whole && isRetry(line))
      retriedAt.set(parseLedgerLine(runFolder, stage, line).index, line.number);
  }
  return retriedAt;
}

function isRetry({ bytes }: Pick<RawLine, 'bytes'>): boolean {
  return bytes.subarray(0, retryPrefix.length).equals(retryPrefix);
}
