import { tmpdir } from 'node:os';
import { explainDiskError } from '../../base/files/diskError.ts';
import { totalOf } from '../../base/sum.ts';
import { UserError } from '../../base/userError.ts';
import { openRows, pipeName } from '../../operations/standalone/openRows.ts';
import { OutputFiles } from '../../operations/standalone/outputFiles.ts';
import { leavesAtOnce, type RowRecord, type RowStage } from '../../operations/standalone/rowStage.ts';
import { type RowOutcomes, runRows } from '../../operations/standalone/runRows.ts';
import { formatCount } from '../format.ts';
import { stopOnSignals } from '../stopOnSignals.ts';

export interface RowOptions {
  readonly out?: string;
  readonly ledger?: string;
  readonly config?: string;
  readonly set?: readonly string[];
  readonly onBadRow: 'stop' | 'drop';
  readonly json?: true;
}

export interface ProfiledRowOptions extends RowOptions {
  readonly profile?: string;
}

export interface AfterRows {
  readonly lines: readonly string[];
  readonly counts: object;
}

/**
 * Processes dataset files and prints the counts. No output file appears unless everything was read.
 *
 * @param after additional output after all rows are decided
 */
export async function shapeRows<T extends RowRecord>(
  files: readonly string[],
  stage: RowStage<T>,
  options: RowOptions,
  after: () => AfterRows = () => ({ lines: [], counts: {} }),
): Promise<void> {
  const { out, ledger, onBadRow, json } = options;
  if (out === undefined) throw new UserError('expected --out FILE, or --out - for standard output');
  using stop = stopOnSignals();
  try {
    const { signal } = stop;
    const source = await openRows(files, { rereadable: !leavesAtOnce(stage), signal });
    try {
      const output = await OutputFiles.create({ out, ledger }, source.files);
      try {
        const counts = await runRows(source.rows, stage, { output, onBadRow, signal });
        signal.throwIfAborted();
        await output.commit();
        const { lines, counts: more } = after();
        tell(out, json ? [JSON.stringify({ ...counts, ...more })] : [...lines, ...countLines(counts)]);
      } finally {
        await output.discard();
      }
    } finally {
      await source.close();
    }
  } catch (error) {
    // Named files were reported earlier, so this is a temporary file.
    throw explainDiskError(error, `temporary files in ${tmpdir()} (TMPDIR)`);
  }
}

/** Prints counts to stderr if rows go to stdout. */
function tell(out: string, lines: readonly string[]): void {
  for (const line of lines) (out === pipeName ? console.error : console.log)(line);
}

/** Counts by outcome and reason, which add up to the input. */
function countLines({ rows_in, kept, rows_out, dropped, failed }: RowOutcomes): string[] {
  const repeated = rows_out === kept ? '' : `, written as ${formatCount(rows_out)}`;
  return [
    `${formatCount(rows_in)} rows in = ${formatCount(kept)} kept + ${formatCount(totalOf(dropped))} dropped + ${formatCount(totalOf(failed))} failed${repeated}`,
    ...reasonLines('dropped', dropped),
    ...reasonLines('failed', failed),
  ];
}

function reasonLines(what: string, counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).map(([reason, rows]) => `  ${what}: ${reason} ${formatCount(rows)}`);
}
