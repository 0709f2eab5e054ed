import { printable } from '../base/printable.ts';
import { type FoundRowFile, rowFilesAtAll } from '../base/rows/rowFilesAt.ts';
import { UserError } from '../base/userError.ts';
import { lintFiles } from '../operations/lintFiles.ts';
import { findingLine, LintSummary, renderTotals } from '../output/lint/report/lintSummary.ts';
import { formatBytes, formatCount } from './format.ts';
import { LiveView } from './liveView.ts';
import { print } from './outputMode.ts';
import { stopOnSignals } from './stopOnSignals.ts';

/** Tells on stderr how far a long file is. */
export interface LintProgress {
  /** Called for each row; says something every few seconds, and throws once the user has asked to stop. */
  row(file: FoundRowFile, at: { readonly row: number; readonly bytesRead: number }): void;
  /** Says something at once. */
  note(line: string): void;
}

/** Progress for people who wait, or have waited long enough. */
export function createLintProgress(
  stop: AbortSignal,
  // Findings are written to the terminal as well.
  view = new LiveView(undefined, process.stderr, false),
): LintProgress {
  return {
    row(file, { row, bytesRead }) {
      stop.throwIfAborted();
      if (!view.isDue()) return;
      const percent = Math.floor((bytesRead / file.size) * 100);
      const line = `${file.path}: ${percent} % (${formatBytes(bytesRead)} of ${formatBytes(file.size)}), ${formatCount(row)} rows`;
      view.show([printable(line)]);
    },
    note: (line) => view.note(printable(line)),
  };
}

export interface LintCommandOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly json?: true;
}

/** Lints files. Returns the exit code: 1 when a rule of severity error spoke. */
export async function runLint(paths: readonly string[], options: LintCommandOptions): Promise<number> {
  const files = await rowFilesAtAll(paths);
  using stop = stopOnSignals({ resume: 'the same command' });
  return await tellFindings(paths, files, options, createLintProgress(stop.signal));
}

async function tellFindings(
  paths: readonly string[],
  files: readonly FoundRowFile[],
  options: LintCommandOptions,
  progress: LintProgress,
): Promise<number> {
  const summary = new LintSummary();
  for await (const { file, ...row } of lintFiles(paths, options)) {
    summary.add(row, file.path);
    const lines = row.findings.map((found) => (options.json ? JSON.stringify(found) : findingLine(found)));
    await print(lines.map((line) => `${line}\n`).join(''));
    progress.row(file, row);
  }
  const { totals } = summary;
  if (totals.rows === 0)
    throw new UserError('none of the files holds trajectories; name the dataset file itself to see why');
  const others = files.filter(({ path }) => !summary.hasRowsOf(path)).map(({ path }) => path);
  if (others.length > 0)
    progress.note(`passed over: no trajectories (tasks, ledgers, or no rows) in ${others.join(', ')}`);
  await print(options.json ? `${JSON.stringify({ totals })}\n` : renderTotals(totals));
  return totals.rows_with_errors > 0 ? 1 : 0;
}
