import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceFile } from '../base/files/atomicFile.ts';
import { printable } from '../base/printable.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { REPORT_PAGE } from '../evaluation/evaluationFolder.ts';
import { alteredFiles } from '../operations/report/alteredFiles.ts';
import { missedProfiles } from '../operations/report/funnel.ts';
import { gatherReport } from '../operations/report/gatherReport.ts';
import { resumeCommandOf } from '../operations/resumeCommandOf.ts';
import type { RunResult } from '../pipeline/executeRun.ts';
import { runWord } from '../pipeline/run/findRun.ts';
import { readLedger } from '../pipeline/run/stageJournals.ts';
import { trainingConfigSchema } from '../schemas/config/training.ts';
import type { Manifest } from '../schemas/manifest.ts';
import type { ReportData } from '../schemas/report.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { formatDuration, formatTable } from './format.ts';
import { keptVerdict, type Loss, machineLosses } from './keptVerdict.ts';
import { coloured } from './outputMode.ts';
import { runnable } from './programCommand.ts';
import { summaryLines } from './summary.ts';

/**
 * Writes the report and prints results and next steps.
 *
 * @returns the exit code: 2 if records entered the run and none was kept, 1 if the machine lost some, else 0
 */
export async function finishRun(
  result: RunResult,
  { json, startedMs }: { readonly json: boolean; readonly startedMs: number },
): Promise<number> {
  const { folder, run, wasComplete } = result;
  const data = await gatherReport(folder, run);
  const { runPage } = await import('../viewer/exportPage.ts');
  const unwritten = await writeReport(folder, runPage(folder, run, data));
  // Kilobytes on every system supported by Node.
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  const wallMs = performance.now() - startedMs;
  const missed = data.target ? await missedProfiles(folder, run, data.target) : undefined;
  const verdict = keptVerdict(data.funnel, data.target, missed);
  const hasRetry = !run.imported && !run.variant_of;
  const lost = machineLosses(data.funnel, hasRetry ? resumeCommandOf(run, folder) : undefined);
  const exitCode = verdict.isTotalLoss ? 2 : lost.length > 0 ? 1 : 0;
  const example = await failureExample(folder, verdict.commonest);
  for (const line of [...verdict.lines, ...example, ...lost, ...unwritten, ...(await alteredFiles(folder))])
    console.error(coloured('yellow', runnable(line), process.stderr));
  if (json) {
    const { funnel, spent, roles, tools, retries, grounding, manifest, target } = data;
    const shown = { funnel, spent, roles, tools, retries, grounding, manifest, ...(target && { target }) };
    const summary = { run: run.name, folder, ...shown };
    console.log(JSON.stringify({ ...summary, wall_ms: Math.round(wallMs), peak_rss_bytes: peakBytes }));
    return exitCode;
  }
  if (wasComplete) console.log(`${run.name} is already complete; nothing to do\n`);
  const peakMb = Math.round(peakBytes / 1e6);
  const lines = [
    ...summaryLines(data),
    '',
    `${formatDuration(wallMs)}, peak memory ${peakMb} MB`,
    ...nextSteps(folder, run, data),
  ];
  console.log(lines.join('\n'));
  return exitCode;
}

const MAX_EXAMPLE_CHARS = 500;

/** Message of the first record that failed for the commonest reason: a server's words, or an error of own code. */
async function failureExample(folder: string, loss: Loss | undefined): Promise<string[]> {
  if (loss?.kind !== 'failed') return [];
  for await (const entry of readLedger(folder, loss.stage))
    if (entry.kind === 'fail' && entry.failure.cause === loss.reason)
      return [printable(`for instance: ${entry.failure.message.slice(0, MAX_EXAMPLE_CHARS)}`)];
  return [];
}

/**
 * Writes the report of a run or an evaluation. On failure, as in a clone without development packages, a line gives the
 * reason and the results stay.
 */
export async function writeReport(folder: string, page: Promise<string>): Promise<string[]> {
  try {
    await replaceFile(join(folder, REPORT_PAGE), await page);
    return [];
  } catch (error) {
    return [`${REPORT_PAGE} was not written: ${(error as Error).message}`];
  }
}

function nextSteps(folder: string, run: RunFile, { manifest }: ReportData): string[] {
  const report = pathToFileURL(join(folder, 'report.html')).href;
  if (manifest?.rows === 0)
    return ['', 'No row was kept; the reasons are in the table above and in:', `  ${report}`];
  const dataset = quoteShellWord(relative(process.cwd(), join(folder, 'dataset')));
  const steps = manifest
    ? [
        ['see what trainers read', `ls ${dataset}`],
        [
          'plan the fine-tuning job',
          `coa-distill train ${runWord(folder)} --dry-run${smallSteps(manifest, run)}`,
        ],
      ]
    : [['the stages after this one', resumeCommandOf(run, folder)]];
  const rows = [['see the run on one page', report], ...steps].map(([what = '', how = '']) => [
    `  ${what}`,
    how,
  ]);
  return ['', 'Next:', ...formatTable(rows).map(runnable)];
}

/** Warns if a training step needs more rows than the dataset has. */
function smallSteps({ rows }: Pick<Manifest, 'rows'>, { config }: RunFile): string {
  const { gradient_accumulation_steps } = trainingConfigSchema.parse(config.training ?? {});
  return rows < gradient_accumulation_steps ? ' --set gradient_accumulation_steps=1' : '';
}
