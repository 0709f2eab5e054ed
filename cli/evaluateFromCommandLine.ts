import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { dollars, percent } from '../base/figures.ts';
import { jsonValueOf } from '../base/json.ts';
import { printable } from '../base/printable.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { sum } from '../base/sum.ts';
import { UserError } from '../base/userError.ts';
import { BudgetSpent } from '../contract/errors.ts';
import { type EvaluationResult, evaluate } from '../evaluation/evaluate.ts';
import { REPORT_PAGE } from '../evaluation/evaluationFolder.ts';
import { type BenchmarkPlan, type EvaluationPlan, planEvaluation } from '../evaluation/planEvaluation.ts';
import type { BenchmarkResult } from '../evaluation/records/evaluationFile.ts';
import { benchmarkRows, scoreHeads, scoreNote } from '../evaluation/resultsMarkdown.ts';
import type { ServedPlayer } from '../evaluation/servePlayer.ts';
import { servedName } from '../evaluation/serving/servedFolder.ts';
import { mergeCommand, readModelFolder } from '../evaluation/serving/servingCommands.ts';
import { configOfRun } from '../pipeline/config/parseConfig.ts';
import { loadDotEnv } from '../pipeline/config/toolsConfig.ts';
import { findRun, runWord } from '../pipeline/run/findRun.ts';
import { describeStageState } from '../pipeline/run/stageState.ts';
import type { Config } from '../schemas/config/config.ts';
import { failureCauseSchema, isOfPlayer } from '../schemas/failureCauses.ts';
import { newestCheckpoint } from '../training/checkpoints.ts';
import { writeReport } from './finishRun.ts';
import { formatCount, formatTable } from './format.ts';
import { coloured } from './outputMode.ts';
import { causesOf, planEstimateLines } from './printPlan.ts';
import { runnable } from './programCommand.ts';
import {
  afterBudget,
  checkedRunName,
  overridesOf,
  type RunCommandOptions,
  resumeCommand,
  retryOptions,
} from './runArguments.ts';
import { fewTestsLines } from './summary.ts';
import { findJob } from './train/findJob.ts';
import { findGpus } from './train/gpus.ts';
import { withProgress } from './withProgress.ts';

/** Checkpoint with the settings of its training run. */
interface Checkpoint {
  readonly folder: string;
  readonly label: string;
  /** Absent for a folder without a job. */
  readonly trainedOn?: Config;
}

/**
 * Resolves `--serve`: a model folder, or the newest complete checkpoint of a job `RUN/JOB`.
 *
 * @throws UserError if it does not exist, or is only an adapter
 */
async function servedCheckpoint(wanted: string): Promise<ServedPlayer> {
  const { folder, label, trainedOn } = await findCheckpoint(wanted);
  const { adapterOf } = await readModelFolder(folder);
  if (adapterOf !== null)
    throw new UserError(
      `--serve ${wanted}: an adapter (LoRA) of ${adapterOf}, which transformers serve can't serve; merge it, then serve the merged folder: ${mergeCommand(folder)}`,
    );
  const python = trainedOn?.training.python ?? process.env.PYTHON ?? 'python3';
  return {
    name: await servedName(label, folder),
    folder,
    python: python.includes('/') ? resolve(python) : python,
    device: (await findGpus()).count > 0 ? 'auto' : 'cpu',
    positions: await positionsOf(folder),
    dataset: trainedOn ? renderingOf(trainedOn) : await ownRendering(folder),
    ...(trainedOn && trainedOn.profiles.length > 0 && { profiles: trainedOn.profiles }),
  };
}

async function findCheckpoint(wanted: string): Promise<Checkpoint> {
  const folder = resolve(wanted);
  if (['config.json', 'adapter_config.json'].some((name) => existsSync(join(folder, name))))
    return { folder, label: `${basename(dirname(folder))}-${basename(folder)}` };
  const job = await findJob(wanted);
  const checkpoint = await newestCheckpoint(job.folder, job.record);
  if (checkpoint === null)
    throw new UserError(
      `--serve ${wanted}: ${job.name} has no whole checkpoint on this machine; see how it ended with: coa-distill train status ${job.name}`,
    );
  const { run } = await findRun(dirname(dirname(job.folder)));
  return { folder: checkpoint.model, label: job.name, trainedOn: configOfRun(run) };
}

/** Rendering settings of the training run, so that prompts match training. */
function renderingOf({ dataset }: Config): ServedPlayer['dataset'] {
  const { system_prompt, tokenizer, chat_template, template_variables } = dataset;
  return { system_prompt, tokenizer, chat_template, template_variables };
}

/** Rendering settings from the model's own folder. */
async function ownRendering(folder: string): Promise<ServedPlayer['dataset']> {
  const tokenizer = join(folder, 'tokenizer.json');
  const template = ['chat_template.jinja', 'tokenizer_config.json']
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  return {
    ...(existsSync(tokenizer) && { tokenizer }),
    ...(template !== undefined && { chat_template: template }),
  };
}

const positionsSchema = z.looseObject({ max_position_embeddings: z.int().positive() });

async function positionsOf(folder: string): Promise<number | null> {
  const config = jsonValueOf(await readFile(join(folder, 'config.json'), 'utf8'));
  return positionsSchema.safeParse(config).data?.max_position_embeddings ?? null;
}

type EvaluateCommandOptions = Omit<RunCommandOptions, 'tasks' | 'from' | 'until' | 'workers' | 'baseUrl'> & {
  /** Checkpoint to serve as player: RUN/JOB, or a folder. */
  readonly serve?: string;
};

/**
 * Evaluates a player and prints its scores.
 *
 * @returns the exit code: 2 if no sample of any benchmark was scored, else 0
 */
export async function evaluateFromCommandLine(
  configFile: string,
  options: EvaluateCommandOptions,
): Promise<number> {
  if (options.dryRun) {
    await printEvaluationPlan(configFile, options);
    return 0;
  }
  const opening = await evaluationOf(configFile, options);
  const resume = resumeCommand(configFile, options, 'evaluate');
  const result = await withProgress({ resume, drains: true }, (context) =>
    evaluate({
      ...context,
      ...opening,
      ...(options.retry !== undefined && { retry: retryOptions(options.retry) }),
      yes: options.yes === true,
    }),
  ).catch((error: unknown) => {
    if (error instanceof BudgetSpent)
      console.error(runnable(afterBudget(error, configFile, options, 'evaluate')));
    throw error;
  });
  const { evaluationPage } = await import('../viewer/exportPage.ts');
  const unwritten = await writeReport(result.folder, evaluationPage(result.folder));
  const { benchmarks } = result.file;
  for (const line of [...benchmarks.flatMap(unscoredLines), ...unwritten])
    console.error(coloured('yellow', runnable(line), process.stderr));
  console.log(
    options.json ? JSON.stringify(result.file) : runnable(resultLines(result).map(printable).join('\n')),
  );
  return benchmarks.every(({ all }) => all.scored_tasks === 0) ? 2 : 0;
}

/** Resolves the evaluation of a command line. Loads the configuration's `.env`. */
async function evaluationOf(configFile: string, options: EvaluateCommandOptions) {
  loadDotEnv(configFile);
  const { serve, name, offline = false } = options;
  if (serve !== undefined && options.model !== undefined)
    throw new UserError('--serve sets model and endpoint: leave out --model');
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
    ...(cost > 0 ? [`cost ${dollars(cost)}`] : []),
    `on one page: ${pathToFileURL(join(folder, REPORT_PAGE)).href}`,
    `results: ${path}/evaluation.json, results.md for a paper, results/ task by task`,
    `compare with another: coa-distill compare ${runWord(folder)} OTHER`,
  ];
}

/** Tasks excluded before playing. */
function leftOutLine({ name, left_out }: BenchmarkResult): string[] {
  const left = Object.entries(left_out).map(([why, tasks]) => `${formatCount(tasks)} as ${why}`);
  return left.length === 0 ? [] : [`${name}: tasks that were not played: ${left.join(', ')}`];
}

/** Warnings for a benchmark with too many unscored samples, most frequent cause first. */
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

/** True for a reason that counts as wrong, not as unscored. */
function isWrong(reason: string): boolean {
  const cause = failureCauseSchema.safeParse(reason);
  return cause.success && isOfPlayer(cause.data);
}

/** Prints the plan of an evaluation. Writes nothing and calls no models or tools. */
async function printEvaluationPlan(configFile: string, options: EvaluateCommandOptions): Promise<void> {
  const { signal } = new AbortController();
  const plan = await planEvaluation({ ...(await evaluationOf(configFile, options)), signal });
  console.log(options.json ? JSON.stringify(plan) : planLines(plan).join('\n'));
}

function planLines({ evaluation, benchmarks, missing, elsewhere }: EvaluationPlan): string[] {
  const [{ teacher, model }] = benchmarks as [BenchmarkPlan];
  return [
    `evaluation ${evaluation} of ${model} (${teacher})`,
    '',
    ...formatTable([
      ['', 'rollouts', 'tasks', 'samples'],
      ...benchmarks.map((one) => [
        ...[one.name, stateOf(one), sum(one.tasks.map(({ tasks }) => tasks)), one.samples],
      ]),
    ]),
    '',
    ...benchmarks.flatMap(unusableLines),
    ...benchmarks.flatMap(({ name, estimate }) => planEstimateLines(estimate, name, 'tasks')),
    ...missing.map((what) => `missing: ${what}`),
    ...(elsewhere === undefined ? [] : [elsewhere]),
    'nothing was written',
  ];
}

function stateOf({ stages }: BenchmarkPlan): string {
  const state = stages.find(({ stage }) => stage === 'rollout');
  return state ? describeStageState(state) : '';
}

function unusableLines(plan: BenchmarkPlan): string[] {
  const { name, bad_tasks, duplicate_questions, tasks_by_tests } = plan;
  const few = fewTestsLines(tasks_by_tests).map((line) => `${name}: ${line}`);
  if (bad_tasks + duplicate_questions === 0) return few;
  return [
    ...few,
    `${name}: ${formatCount(bad_tasks)} unusable rows${causesOf(plan)} and ${formatCount(duplicate_questions)} duplicate questions are left out`,
  ];
}
