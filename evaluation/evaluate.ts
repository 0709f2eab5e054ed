import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { replaceFile } from '../base/files/atomicFile.ts';
import { onDisk } from '../base/files/diskError.ts';
import { packageVersion } from '../base/packageVersion.ts';
import { ProblemList, UserError } from '../base/userError.ts';
import { type Amount, added, mostSpent, readSpent } from '../calls/budget/spendingLog.ts';
import type { StageName } from '../contract/stageTable.ts';
import { sameNameNotice } from '../pipeline/run/findRun.ts';
import { checkStages } from '../pipeline/stages/stageOpeners.ts';
import { isOfPlayer } from '../schemas/failureCauses.ts';
import { EVALUATION_FILE, PICKS, RESULTS_TABLE, SERVED, TASK_RESULTS } from './evaluationFolder.ts';
import type { LoadedBenchmark } from './loadBenchmarks.ts';
import {
  type CheckedBenchmark,
  type OpenedEvaluation,
  type OpeningOptions,
  openEvaluation,
  tryTools,
} from './openEvaluation.ts';
import { type PlayedBenchmark, type PlayOptions, playBenchmark } from './playBenchmark.ts';
import type { EvaluationFile } from './records/evaluationFile.ts';
import { resultsMarkdown } from './resultsMarkdown.ts';
import { whileServed } from './servePlayer.ts';

/** Options of an evaluation: those of a run, except the ones that each benchmark sets. */
interface EvaluateOptions extends Omit<PlayOptions, 'shared' | 'training'>, Omit<OpeningOptions, 'offline'> {}

export interface EvaluationResult {
  readonly folder: string;
  readonly file: EvaluationFile;
}

/**
 * Lets a player solve benchmarks, judges its answers and writes the scores: one durable run per benchmark in the
 * evaluation's folder. Before the first call, reads all benchmark files, checks all keys, opens all tools and tests all
 * endpoints.
 *
 * @throws UserError for an invalid configuration or file; the errors of {@link executeRun}
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationResult> {
  refuseRetryOfWrong(options.retry);
  const beganAtMs = options.clock.monotonicMs();
  const opened = await openEvaluation(options, 'what_is_pending');
  try {
    const { folder, benchmarks, missing } = opened;
    const elsewhere = sameNameNotice(folder, options.configFile);
    if (elsewhere !== undefined) options.log(elsewhere);
    if (missing.length > 0) throw new ProblemList(missing);
    if (!options.offline) await tryTools(benchmarks, { env: options.env, folder, which: 'all' });
    return await scored(opened, await playAll(opened, options, beganAtMs));
  } finally {
    opened.training?.close();
  }
}

/** Serves the player if requested and needed, and plays the benchmarks one by one. */
function playAll(
  { folder, port, benchmarks, training }: OpenedEvaluation,
  options: EvaluateOptions,
  beganAtMs: number,
): Promise<PlayedBenchmark[]> {
  const { env, offline = false, serve, signal, log, retry } = options;
  const play = async (signal: AbortSignal) => {
    for (const { loaded, stages } of benchmarks)
      await checkStages(loaded, pendingOf(stages), { env, offline }, []);
    const played: PlayedBenchmark[] = [];
    for (const benchmark of benchmarks) {
      const shared = { spent: await spentBeside(benchmark, benchmarks, folder), beganAtMs };
      played.push(await playBenchmark(benchmark, folder, { ...options, signal, shared, training }));
    }
    return played;
  };
  const isAsked =
    retry !== undefined || benchmarks.some(({ stages }) => pendingOf(stages).includes('rollout'));
  return serve && isAsked && !offline
    ? whileServed(serve, { workFolder: join(folder, SERVED), port: port!, signal, log }, play)
    : play(signal);
}

function pendingOf(stages: CheckedBenchmark['stages']): StageName[] {
  return stages.filter(({ kind }) => kind !== 'done').map(({ stage }) => stage);
}

async function scored(
  { folder, benchmarks }: OpenedEvaluation,
  played: readonly PlayedBenchmark[],
): Promise<EvaluationResult> {
  const { backend, model } = benchmarks[0]!.loaded.config.teacher;
  const file: EvaluationFile = {
    format_version: 1,
    name: basename(folder),
    coa_distill_version: packageVersion(),
    player: { backend, model: model.model },
    benchmarks: played.map(({ result }) => result),
  };
  // Written at the end, so that an interruption leaves a consistent set of files.
  await writeFiles(folder, file, played);
  return { folder, file };
}

async function writeFiles(
  folder: string,
  file: EvaluationFile,
  played: readonly PlayedBenchmark[],
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
}

/** Spending of the other benchmarks over all sessions, since they share one budget. */
async function spentBeside(
  benchmark: LoadedBenchmark,
  all: readonly LoadedBenchmark[],
  folder: string,
): Promise<Amount> {
  let spent: Amount = { costUsd: 0, tokens: 0 };
  for (const { name } of all) {
    if (name === benchmark.name) continue;
    const of = [await readSpent(join(folder, name)), await readSpent(join(folder, PICKS, name))];
    spent = of.map(mostSpent).reduce(added, spent);
  }
  return spent;
}

function refuseRetryOfWrong(retry: EvaluateOptions['retry']): void {
  if (retry?.kind !== 'failed' || retry.cause === undefined || !isOfPlayer(retry.cause)) return;
  throw new UserError(
    `--retry failed:${retry.cause}: such samples are wrong, and playing them until they are right would raise the score; --retry failed plays again what is unscored`,
  );
}
