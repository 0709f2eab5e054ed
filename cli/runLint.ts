import { createRequestedFile } from '../base/files/requestedFile.ts';
import { packageVersion } from '../base/packageVersion.ts';
import { printable } from '../base/printable.ts';
import { type FoundRowFile, rowFilesAtAll } from '../base/rows/rowFilesAt.ts';
import { UserError } from '../base/userError.ts';
import { chosenProfiles, lintFiles } from '../operations/lintFiles.ts';
import type { LintFinding } from '../output/lint/finding.ts';
import { fixFile, previewFixes, renderEdits } from '../output/lint/fix/fixFile.ts';
import type { ProfileOptions } from '../output/lint/lintRows.ts';
import {
  findingLine,
  LintSummary,
  renderTotals,
  sarifHead,
  sarifResult,
  sarifTail,
} from '../output/lint/report/lintSummary.ts';
import { formatBytes, formatCount } from './format.ts';
import { LiveView } from './liveView.ts';
import { print } from './print.ts';
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
  readonly sarif?: string;
  readonly fix?: true;
  readonly dryRun?: true;
}

/** Lints files, after fixing them where asked. Returns the exit code: 1 when a rule of severity error spoke. */
export async function runLint(paths: readonly string[], options: LintCommandOptions): Promise<number> {
  const files = await rowFilesAtAll(paths);
  const chosen = await chosenProfiles(options, files);
  // A stop lets half-written files be removed.
  const stop = stopOnSignals({ resume: 'the same command' });
  const progress = createLintProgress(stop.signal);
  try {
    if (options.fix) await fixFiles(files, chosen, options.dryRun === true, progress);
    return options.dryRun ? 0 : await tellFindings(paths, files, options, progress);
  } finally {
    stop.release();
  }
}

async function tellFindings(
  paths: readonly string[],
  files: readonly FoundRowFile[],
  options: LintCommandOptions,
  progress: LintProgress,
): Promise<number> {
  const sarif = options.sarif === undefined ? undefined : await openSarifFile(options.sarif);
  const summary = new LintSummary();
  try {
    for await (const { file, ...row } of lintFiles(paths, options)) {
      summary.add(row, file.path);
      const lines = row.findings.map((found) => (options.json ? JSON.stringify(found) : findingLine(found)));
      await print(lines.map((line) => `${line}\n`).join(''));
      await sarif?.add(row.findings);
      progress.row(file, row);
    }
    await sarif?.finish();
  } finally {
    await sarif?.abort();
  }
  const { totals } = summary;
  if (totals.rows === 0)
    throw new UserError('none of the files holds trajectories; name the dataset file itself to see why');
  for (const { path } of files)
    if (!summary.hasRowsOf(path))
      progress.note(`${path}: passed over, it has no rows, or the first one holds no answer`);
  await print(options.json ? `${JSON.stringify({ totals })}\n` : renderTotals(totals));
  return totals.rows_with_errors > 0 ? 1 : 0;
}

/** Fixes files, or shows what would be fixed. */
async function fixFiles(
  files: readonly FoundRowFile[],
  options: ProfileOptions,
  dryRun: boolean,
  progress: LintProgress,
): Promise<void> {
  for (const file of files) {
    let fixed = 0;
    let left = 0;
    for await (const row of dryRun ? previewFixes(file, options) : fixFile(file, options)) {
      progress.row(file, row);
      if (row.edits.length === 0) continue;
      if (row.left) left += 1;
      else fixed += 1;
      if (dryRun) await print(renderEdits(file, row));
    }
    if (fixed + left === 0) continue;
    progress.note(`${file.path}: rows ${dryRun ? 'to fix' : 'fixed'}: ${fixed}${leftNote(left)}`);
  }
}

function leftNote(left: number): string {
  return left === 0 ? '' : `; left as they are, for their layout is not rewritten: ${left}`;
}

/** A SARIF file that is written row by row. */
interface SarifFile {
  add(findings: readonly LintFinding[]): Promise<void>;
  /** Gives the file its name: before, nothing is visible under it. */
  finish(): Promise<void>;
  /** Removes what was written; does nothing after `finish`. */
  abort(): Promise<void>;
}

/** Opens the file beside its final name. */
async function openSarifFile(path: string): Promise<SarifFile> {
  const file = await createRequestedFile(path, '--sarif');
  await file.write(sarifHead(packageVersion()));
  let isFirst = true;
  return {
    async add(findings) {
      if (findings.length === 0) return;
      const results = findings.map(sarifResult).join(',\n');
      await file.write(isFirst ? results : `,\n${results}`);
      isFirst = false;
    },
    async finish() {
      await file.write(sarifTail);
      await file.commit();
    },
    abort: () => file.discard(),
  };
}
