import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { dollars } from '../base/figures.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { sum } from '../base/sum.ts';
import { gatherReport } from '../operations/report/gatherReport.ts';
import { configWord, resumeCommandOf } from '../operations/resumeCommandOf.ts';
import { readSettings } from '../pipeline/config/loadConfig.ts';
import type { RunResult } from '../pipeline/executeRun.ts';
import { runWord } from '../pipeline/run/findRun.ts';
import { type DropReason, dropReasons } from '../schemas/dropReasons.ts';
import type { ReportData } from '../schemas/report.ts';
import { searchText, type TasksetManifest } from '../synthesis/records/tasksetManifest.ts';
import { readTasksetManifest } from '../synthesis/runFiles.ts';
import { synthesizeConfigSchema } from '../synthesis/synthesizeConfig.ts';
import { writeReport } from './finishRun.ts';
import { formatCount, formatDuration, formatTable } from './format.ts';
import { keptVerdict, machineLosses } from './keptVerdict.ts';
import { coloured } from './outputMode.ts';
import { runnable } from './programCommand.ts';
import { summaryLines } from './summary.ts';

/**
 * Writes the report of a synthesis and prints results, cost and next steps.
 *
 * @returns the exit code: 2 if documents were read and no task was kept, 1 if the machine lost some records, else 0
 */
export async function finishSynthesis(
  { folder, run, wasComplete }: RunResult,
  { json, startedMs }: { readonly json: boolean; readonly startedMs: number },
): Promise<number> {
  const data = await gatherReport(folder, run);
  const { runPage } = await import('../viewer/exportPage.ts');
  const unwritten = await writeReport(folder, runPage(folder, run, data));
  const { funnel, roles, tools, examples, spent } = data;
  const tasks = funnel.find(({ stage }) => stage === 'write')?.emitted;
  const verdict = tasks === 0 ? keptVerdict(funnel) : { lines: [] };
  const lost = machineLosses(funnel, resumeCommandOf(run, folder));
  for (const line of [...verdict.lines, ...lost, ...unwritten])
    console.error(coloured('yellow', runnable(line), process.stderr));
  const exitCode = tasks === 0 ? 2 : lost.length > 0 ? 1 : 0;
  if (json) {
    console.log(JSON.stringify({ run: run.name, folder, tasks, spent, funnel, roles, tools, examples }));
    return exitCode;
  }
  if (wasComplete) console.log(`${run.name} is already complete; nothing to do\n`);
  const { profile } = synthesizeConfigSchema.parse(run.config.synthesize);
  const lines = [
    ...summaryLines(data),
    '',
    ...exampleLines(data),
    ...(tasks ? keptLines(await readTasksetManifest(folder)) : []),
    ...(data.checker ? [data.checker] : []),
    ...stageCostLine(roles),
    ...(tasks ? [priceLine(tasks, spent)] : []),
    formatDuration(performance.now() - startedMs),
    ...(await nextSteps({ folder, run, wasComplete }, tasks, profile)),
  ];
  console.log(lines.join('\n'));
  return exitCode;
}

function stageCostLine(roles: ReportData['roles']): string[] {
  const stages = Object.entries(Object.groupBy(roles, ({ stage = 'other' }) => stage));
  const texts = stages.map(([stage, some = []]) => {
    const tokens = sum(some.map((role) => role.prompt_tokens + role.completion_tokens));
    const money = sum(some.map(({ cost_usd }) => cost_usd));
    return `${stage} ${money > 0 ? `${dollars(money)}, ` : ''}${formatCount(tokens)} tokens`;
  });
  return texts.length > 0 ? [`by stage: ${texts.join('; ')}`] : [];
}

/** Cost per kept task, including rejected work. */
function priceLine(
  tasks: number,
  { cost_usd, tokens, requests }: Omit<ReportData['spent'], 'unbilled'>,
): string {
  const each = (amount: number) => formatCount(Math.round(amount / tasks));
  const money = cost_usd > 0 ? `${dollars(cost_usd / tasks)}, ` : '';
  return `a kept task took ${money}${each(requests)} requests and ${each(tokens)} tokens, rejected work included`;
}

/** Drop reasons with description, number and first record. */
function exampleLines({ examples, funnel }: ReportData): string[] {
  const firstOf = (stage: string, kind: string) =>
    examples.find((one) => one.stage === stage && one.kind === kind)?.message ?? '';
  const lines = funnel.flatMap(({ stage, dropped }) =>
    Object.entries(dropped).flatMap(([kind, count]) => [
      `${stage}: ${kind} ${formatCount(count)}, ${dropReasons[kind as DropReason].meaning.replace(/^synthesize: /, '')}`,
      `  such as ${firstOf(stage, kind)}`,
    ]),
  );
  return lines.length === 0 ? [] : ['dropped, with the first of each reason:', ...lines, ''];
}

/** Tasks by number of hops and by operation. */
function keptLines(manifest: TasksetManifest | undefined): string[] {
  if (!manifest) return [];
  const counted = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${formatCount(count)}`)
      .join(', ');
  const shown = Object.keys(manifest.searched).map((hops) => `${searchText(manifest, hops)} of ${hops} hops`);
  return [
    `kept by hops: ${counted(manifest.hops)}; by operation: ${counted(manifest.operations)}`,
    ...(shown.length > 0
      ? [`one search by the question's own words shows the answer of ${shown.join(', ')}`]
      : []),
  ];
}

async function nextSteps(
  { folder, run }: RunResult,
  tasks: number | undefined,
  profile: string,
): Promise<string[]> {
  const resume = resumeCommandOf(run, folder);
  const report = pathToFileURL(join(folder, 'report.html')).href;
  const file = quoteShellWord(relative('', join(folder, 'taskset', 'tasks.jsonl')));
  const config = configWord(run.config_file, folder);
  const solving = (await solvesTasks(config))
    ? `coa-distill run ${quoteShellWord(config)} --tasks ${file} --name ${run.name}-solved`
    : `coa-distill init --profile ${profile} --tasks ${file}`;
  const steps = tasks
    ? [
        ['solve the tasks', solving],
        ['look at each candidate', `coa-distill view ${runWord(folder)}`],
      ]
    : [['the stages after this one', resume]];
  const rows = [['see the run on one page', report], ...(tasks === 0 ? [] : steps)];
  return ['', 'Next:', ...formatTable(rows.map(([what = '', how = '']) => [`  ${what}`, how])).map(runnable)];
}

const solvingSchema = z.object({ tasks: z.object({ sources: z.tuple([z.unknown()]) }) });

/** True if a configuration solves tasks of a single source, which `--tasks` may replace. */
async function solvesTasks(configFile: string): Promise<boolean> {
  return solvingSchema.safeParse((await readSettings(configFile, {})).value).success;
}
