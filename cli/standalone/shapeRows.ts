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

/** Options of every command on dataset files. */
export interface RowOptions {
  readonly out?: string;
  readonly ledger?: string;
  readonly config?: string;
  readonly set?: readonly string[];
  readonly onBadRow: 'stop' | 'drop';
  readonly json?: true;
}

/** The same, of commands that look at a row's profile. */
export interface ProfiledRowOptions extends RowOptions {
  readonly profile?: string;
}

/** What a command tells beside the counts. */
export interface AfterRows {
  readonly lines: readonly string[];
  /** The same, as `--json` prints it. */
  readonly counts: object;
}

/**
 * Works through dataset files and prints the counts. Nothing appears under any name unless everything was read.
 *
 * @param after what else to print, once the rows are decided
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
    // What has a name of its own was explained before: this is a temporary file.
    throw explainDiskError(error, `temporary files in ${tmpdir()} (TMPDIR)`);
  }
}

/** Where rows go to standard output, counts go to standard error. */
function tell(out: string, lines: readonly string[]): void {
  for (const line of lines) (out === pipeName ? console.error : console.log)(line);
}

/** What became of the rows, as lines: the counts add up, and every reason has its own. */
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
