import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { onDisk } from '../../base/files/diskError.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import { type Amount, readSpent } from '../../calls/budget/spendingLog.ts';
import { renderEvaluation, type ShownBenchmark } from '../../output/report/renderEvaluation.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { runFolderOf } from '../../pipeline/executeRun.ts';
import { plannedStages } from '../../pipeline/planRun.ts';
import type { EvaluationFile } from '../../schemas/evaluation/evaluationFile.ts';
import { isOfPlayer } from '../../schemas/outcome.ts';
import { portFor } from '../../training/serving/transformersServer.ts';
import {
  EVALUATION_FILE,
  PICKS,
  REPORT_PAGE,
  RESULTS_TABLE,
  SERVED,
  TASK_RESULTS,
} from './evaluationFolder.ts';
import {
  type BenchmarkSettings,
  type LoadedBenchmark,
  loadBenchmarks,
  refuseUnknownColumns,
} from './loadBenchmarks.ts';
import { added, type PlayOptions, playBenchmark } from './playBenchmark.ts';
import { resultsMarkdown } from './resultsMarkdown.ts';
import { whileServed } from './servePlayer.ts';

/** How a player is evaluated: as a run is executed, but for what each benchmark says itself. */
export interface EvaluateOptions extends Omit<PlayOptions, 'shared'>, BenchmarkSettings {
  /** The evaluation's folder below `runs_dir`; default: the configuration's name. */
  readonly name?: string;
}

/** What an evaluation came to. */
export interface EvaluationResult {
  readonly folder: string;
  readonly file: EvaluationFile;
}

/**
 * Lets a player solve benchmarks, judges its answers and writes the scores: a run for each benchmark in a folder of the
 * evaluation, as durable as any run. Every configuration is checked, and every key looked for, before the first call.
 *
 * @throws UserError for mistakes of the configuration; what {@link executeRun} throws
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationResult> {
  refuseRetryOfWrong(options.retry);
  const { serve, clock } = options;
  const beganAtMs = clock.monotonicMs();
  const port = serve && (await portFor(serve.name));
  const benchmarks = await loadBenchmarks(options, port);
  const [first] = benchmarks;
  const name = options.name ?? first!.loaded.name;
  const folder = runFolderOf(first!.loaded, name);
  if (existsSync(join(folder, 'run.json')))
    throw new UserError(`${folder} is a run, no evaluation; choose another --name`);
  const runs = benchmarks.map((benchmark) => ({
    ...benchmark,
    loaded: withRunsIn(benchmark.loaded, folder),
  }));
  let isPlayed = options.retry !== undefined;
  for (const { loaded, name: benchmark } of runs)
    isPlayed = (await asksPlayer(loaded, benchmark, options)) || isPlayed;
  for (const benchmark of runs) await refuseUnknownColumns(benchmark, options.signal);
  const play = async (signal: AbortSignal) => {
    const played: ShownBenchmark[] = [];
    for (const benchmark of runs) {
      const shared = { spent: await spentBeside(benchmark, runs, folder), beganAtMs };
      played.push(await playBenchmark(benchmark, folder, { ...options, signal, shared }));
    }
    return played;
  };
  const { signal, log } = options;
  const played =
    serve && isPlayed && !options.offline
      ? await whileServed(serve, { workFolder: join(folder, SERVED), port: port!, signal, log }, play)
      : await play(signal);
  const { backend, model } = first!.loaded.config.teacher;
  const file: EvaluationFile = {
    format_version: 1,
    name: basename(folder),
    coa_distill_version: packageVersion(),
    player: { backend, model },
    benchmarks: played.map(({ result }) => result),
  };
  // All at the end: cut off between benchmarks, the files are those of one evaluation still.
  await writeFiles(folder, file, played);
  return { folder, file };
}

async function writeFiles(
  folder: string,
  file: EvaluationFile,
  played: readonly ShownBenchmark[],
): Promise<void> {
  const results = join(folder, TASK_RESULTS);
  await onDisk(results, () => mkdir(results, { recursive: true }));
  for (const { result, tasks } of played)
    await replaceFile(
      join(results, `${result.name}.jsonl`),
      tasks.map((task) => `${JSON.stringify(task)}\n`).join(''),
    );
  await replaceFile(join(folder, EVALUATION_FILE), `${JSON.stringify(file, null, 2)}\n`);
  await replaceFile(join(folder, RESULTS_TABLE), resultsMarkdown(file));
  await replaceFile(join(folder, REPORT_PAGE), renderEvaluation(file, played));
}

/** What the other benchmarks have spent, in earlier sessions too: all have one budget. */
async function spentBeside(
  benchmark: LoadedBenchmark,
  all: readonly LoadedBenchmark[],
  folder: string,
): Promise<Amount> {
  let spent: Amount = { costUsd: 0, tokens: 0 };
  for (const { name } of all) {
    if (name === benchmark.name) continue;
    const of = [await readSpent(join(folder, name)), await readSpent(join(folder, PICKS, name))];
    spent = of.reduce(added, spent);
  }
  return spent;
}

function refuseRetryOfWrong(retry: EvaluateOptions['retry']): void {
  if (retry?.kind !== 'failed' || retry.cause === undefined || !isOfPlayer(retry.cause)) return;
  throw new UserError(
    `--retry failed:${retry.cause}: such samples are wrong, and playing them until they are right would raise the score; --retry failed plays again what is unscored`,
  );
}

function withRunsIn(loaded: LoadedConfig, folder: string): LoadedConfig {
  return { ...loaded, config: { ...loaded.config, runs_dir: folder } };
}

/** Whether the player will be asked. Throws `UserError` where something is missing. */
async function asksPlayer(
  loaded: LoadedConfig,
  benchmark: string,
  { env, offline = false }: EvaluateOptions,
): Promise<boolean> {
  const wanted = { loaded, name: benchmark, env, offline, until: 'judge' } as const;
  const { stages, missing } = await plannedStages(wanted);
  if (missing.length > 0) throw new UserError(`${benchmark}: ${missing.join('\n')}`);
  return stages.some(({ stage, kind }) => stage === 'rollout' && kind !== 'done');
}
