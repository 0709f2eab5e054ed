import { UserError } from '../../base/userError.ts';
import { chosenProfiles } from '../../operations/lintFiles.ts';
import { createTextLinter } from '../../output/lint/createTextLinter.ts';
import { type LintOptions, lintFile } from '../../output/lint/lintFile.ts';
import { type DatasetFile, findDatasetFiles } from '../../output/lint/read/findDatasetFiles.ts';
import { findingLine } from '../../output/lint/report/findingLine.ts';
import { LintSummary, renderTotals } from '../../output/lint/report/lintSummary.ts';
import { openMaskMarker } from '../../pipeline/compose/openMaskMarker.ts';
import { stopOnSignals } from '../stopOnSignals.ts';
import { fixFiles } from './fixFiles.ts';
import { createLintProgress, type LintProgress } from './lintProgress.ts';
import { openSarifFile, type SarifFile } from './openSarifFile.ts';
import { print } from './print.ts';

/** Options of `coa-distill lint` as the command line gives them. */
export interface LintCommandOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly json?: true;
  readonly sarif?: string;
  readonly fix?: true;
  readonly dryRun?: true;
}

/** Lints files, after mending them where asked. Returns the exit code: 1 when a rule of severity error spoke. */
export async function runLint(paths: readonly string[], options: LintCommandOptions): Promise<number> {
  const files = await findDatasetFiles(paths);
  const chosen = await chosenProfiles(options);
  // A stop lets half-written files be removed.
  const stop = stopOnSignals({ goOn: 'the same command' });
  const progress = createLintProgress(stop.signal);
  try {
    if (options.fix) await fixFiles(files, chosen, options.dryRun === true, progress);
    if (options.dryRun) return 0;
    const linter = createTextLinter(await openMaskMarker());
    return await lintFiles(files, { ...chosen, linter }, options, progress);
  } finally {
    stop.release();
  }
}

async function lintFiles(
  files: readonly DatasetFile[],
  lint: LintOptions,
  options: LintCommandOptions,
  progress: LintProgress,
): Promise<number> {
  const sarif = options.sarif === undefined ? undefined : await openSarifFile(options.sarif);
  const summary = new LintSummary();
  try {
    for (const file of files) await lintInto(file, lint, options.json === true, { summary, sarif, progress });
    await sarif?.finish();
  } finally {
    await sarif?.abort();
  }
  const { totals } = summary;
  if (totals.rows === 0) {
    throw new UserError('none of the files holds trajectories; name the dataset file itself to see why');
  }
  await print(options.json ? `${JSON.stringify({ totals })}\n` : renderTotals(totals));
  return totals.rows_with_errors > 0 ? 1 : 0;
}

interface LintSinks {
  readonly summary: LintSummary;
  readonly sarif: SarifFile | undefined;
  readonly progress: LintProgress;
}

async function lintInto(
  file: DatasetFile,
  lint: LintOptions,
  json: boolean,
  { summary, sarif, progress }: LintSinks,
): Promise<void> {
  let rows = 0;
  for await (const row of lintFile(file, lint)) {
    rows += 1;
    summary.add(row);
    const lines = row.findings.map((finding) => (json ? JSON.stringify(finding) : findingLine(finding)));
    await print(lines.map((line) => `${line}\n`).join(''));
    await sarif?.add(row.findings);
    progress.row(file, row);
  }
  if (rows === 0) progress.note(`${file.path}: passed over, it holds no trajectories`);
}
