import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { percent } from '../base/figures.ts';
import { printable } from '../base/printable.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { sum } from '../base/sum.ts';
import { UserError } from '../base/userError.ts';
import {
  type BenchmarkComparison,
  compareEvaluations,
  type EvaluationComparison,
} from '../operations/evaluate/compareEvaluations.ts';
import { type EvaluationResult, evaluate } from '../operations/evaluate/evaluate.ts';
import {
  benchmarkRows,
  percentWithInterval,
  scoreHeads,
  scoreNote,
} from '../operations/evaluate/resultsMarkdown.ts';
import { loadDotEnv } from '../pipeline/config/loadDotEnv.ts';
import type { BenchmarkResult } from '../schemas/evaluation/evaluationFile.ts';
import { failureCauseSchema, isOfPlayer } from '../schemas/failureCauses.ts';
import { formatCount, formatTable, formatUsd } from './format.ts';
import { coloured } from './outputMode.ts';
import { runnable } from './programCommand.ts';
import type { RunCommandOptions } from './runArguments.ts';
import { checkedRunName, overridesOf, resumeCommand, retryWish } from './runArguments.ts';
import { servedCheckpoint } from './servedCheckpoint.ts';
import { withProgress } from './withProgress.ts';

/** Options of `coa-distill evaluate`. */
export type EvaluateCommandOptions = Pick<
  RunCommandOptions,
  | 'name'
  | 'set'
  | 'limit'
  | 'onBadTask'
  | 'baseUrl'
  | 'model'
  | 'offline'
  | 'retry'
  | 'yes'
  | 'maxCost'
  | 'maxTokens'
  | 'maxHours'
  | 'dryRun'
  | 'json'
> & {
  /** A checkpoint that plays: RUN/JOB, or a folder. */
  readonly serve?: string;
};

/**
 * Evaluates a player and prints its scores.
 *
 * @returns the exit code: 2 where no sample of any benchmark was scored, else 0
 */
export async function evaluateFromCommandLine(
  configFile: string,
  options: EvaluateCommandOptions,
): Promise<number> {
  if (options.dryRun) {
    const { printEvaluationPlan } = await import('./printEvaluationPlan.ts');
    await printEvaluationPlan(configFile, options);
    return 0;
  }
  const opening = await evaluationOf(configFile, options);
  const resume = resumeCommand(configFile, options, 'evaluate');
  const result = await withProgress({ resume, drains: true }, (surroundings) =>
    evaluate({
      ...surroundings,
      ...opening,
      ...(options.retry !== undefined && { retry: retryWish(options.retry) }),
      yes: options.yes === true,
    }),
  );
  const { benchmarks } = result.file;
  for (const line of benchmarks.flatMap(unscoredLines))
    console.error(coloured('yellow', runnable(line), process.stderr));
  console.log(
    options.json ? JSON.stringify(result.file) : runnable(resultLines(result).map(printable).join('\n')),
  );
  return benchmarks.every(({ all }) => all.scored_tasks === 0) ? 2 : 0;
}

/** Which evaluation a command line means. Loads the configuration's `.env`. */
export async function evaluationOf(configFile: string, options: EvaluateCommandOptions) {
  loadDotEnv(configFile);
  const { serve, name, offline = false } = options;
  if (serve !== undefined && (options.baseUrl !== undefined || options.model !== undefined))
    throw new UserError('--serve names the player and where it is: give it without --base-url and --model');
  const player = serve === undefined ? undefined : await servedCheckpoint(serve);
  return {
    configFile,
    overrides: overridesOf(options),
    env: process.env,
    offline,
    ...(name !== undefined && { name: checkedRunName(name) }),
    ...(player && { serve: player }),
  };
}

function resultLines({ folder, file }: EvaluationResult): string[] {
  const cost = sum(file.benchmarks.map(({ all }) => all.cost_usd));
  const path = quoteShellWord(relative(process.cwd(), folder) || '.');
  return [
    `${file.player.model} (${file.player.backend}). ${scoreNote}`,
    '',
    ...formatTable([scoreHeads, ...file.benchmarks.flatMap(benchmarkRows)]),
    '',
    ...file.benchmarks.flatMap(leftOutLine),
    ...(cost > 0 ? [`cost ${formatUsd(cost)}`] : []),
    `on one page: ${pathToFileURL(join(folder, 'report.html')).href}`,
    `results: ${path}/evaluation.json, results.md for a paper, results/ task by task`,
    `compare with another: coa-distill evaluate compare ${quoteShellWord(file.name)} OTHER`,
  ];
}

/** Tasks that never got to the player. */
function leftOutLine({ name, left_out }: BenchmarkResult): string[] {
  const left = Object.entries(left_out).map(([why, tasks]) => `${formatCount(tasks)} as ${why}`);
  return left.length === 0 ? [] : [`${name}: tasks that were not played: ${left.join(', ')}`];
}

/** What is said of a benchmark whose score stands for nothing, the commonest cause first. */
function unscoredLines({ name, all, too_many_unscored }: BenchmarkResult): string[] {
  if (!too_many_unscored) return [];
  const { right, wrong, unscored } = all.samples;
  const causes = Object.entries(all.reasons)
    .filter(([reason]) => !isWrong(reason))
    .sort(([, a], [, b]) => b - a);
  const [cause] = causes[0] ?? ['none'];
  const isFailure = failureCauseSchema.safeParse(cause).success;
  return [
    `${name}: ${formatCount(unscored)} of ${formatCount(right + wrong + unscored)} samples are unscored, most as ${cause}: its score is between ${percent(all.bounds.low)} and ${percent(all.bounds.high)}.${isFailure ? ` Find out why, then play them again with --retry failed:${cause}` : ''}`,
  ];
}

/** Why a sample is wrong, rather than unscored. */
function isWrong(reason: string): boolean {
  const cause = failureCauseSchema.safeParse(reason);
  return cause.success && isOfPlayer(cause.data);
}

/** Prints who of two players is ahead. */
export async function compareEvaluationsFromCommandLine(
  a: string,
  b: string,
  { json }: { readonly json?: true },
): Promise<void> {
  const comparison = await compareEvaluations(evaluationFolder(a), evaluationFolder(b));
  console.log(json ? JSON.stringify(comparison) : comparisonLines(comparison).map(printable).join('\n'));
}

function evaluationFolder(nameOrFolder: string): string {
  const named = resolve('runs', nameOrFolder);
  return existsSync(join(named, 'evaluation.json')) ? named : resolve(nameOrFolder);
}

function comparisonLines({ a, b, benchmarks }: EvaluationComparison): string[] {
  const heads = ['', 'tasks', `${a} ahead by`, 'wins', 'ties', 'losses', 'p', 'would be seen'];
  const short = (value: number | null) => (value === null ? '' : value.toPrecision(2));
  return [
    ...formatTable([
      heads,
      ...benchmarks.map(({ benchmark, tasks, difference, wins, ties, losses, p, least_detectable }) => [
        benchmark,
        tasks,
        percentWithInterval(difference),
        wins,
        ties,
        losses,
        short(p),
        least_detectable === null ? '' : `${percent(least_detectable)} points`,
      ]),
    ]),
    '',
    ...benchmarks.map((one) => verdict(a, b, one)),
  ];
}

function verdict(a: string, b: string, { benchmark, difference, left_out }: BenchmarkComparison): string {
  const apart =
    left_out > 0 ? ` (${formatCount(left_out)} tasks are not in both, or unscored: left out)` : '';
  if (difference === null) return `${benchmark}: no task that both have scored samples of${apart}`;
  const { low, high } = difference;
  if (low > 0) return `${benchmark}: ${a} is ahead${apart}`;
  if (high < 0) return `${benchmark}: ${b} is ahead${apart}`;
  return `${benchmark}: the difference can be chance${apart}`;
}
