import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { onDisk } from '../../base/files/diskError.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import { renderEvaluation, type ShownBenchmark } from '../../output/report/renderEvaluation.ts';
import { type ConfigDocument, place } from '../../pipeline/config/configDocument.ts';
import { ConfigProblems } from '../../pipeline/config/configProblems.ts';
import { explainIssues } from '../../pipeline/config/explainIssues.ts';
import {
  type ConfigOverrides,
  type LoadedConfig,
  loadConfig,
  readSettings,
} from '../../pipeline/config/loadConfig.ts';
import { executeRun, runFolderOf } from '../../pipeline/executeRun.ts';
import { plannedStages } from '../../pipeline/planRun.ts';
import { hasFailed } from '../../pipeline/run/retryFailed.ts';
import type { ExecuteRunOptions } from '../../pipeline/workSession.ts';
import { evaluationConfigSchema } from '../../schemas/config/evaluation.ts';
import { taskSourceConfigSchema } from '../../schemas/config/tasks.ts';
import type { EvaluationFile } from '../../schemas/evaluation/evaluationFile.ts';
import type { TaskResult } from '../../schemas/evaluation/sampleResult.ts';
import { isOfPlayer } from '../../schemas/outcome.ts';
import { openBenchmarkQuestions } from '../benchmarkQuestions.ts';
import { type PlannedBenchmark, plannedBenchmarks } from './benchmarkDocument.ts';
import { EVALUATION_FILE, INSPECT_LOGS, TASK_RESULTS } from './evaluationFolder.ts';
import { readTaskResults } from './readTaskResults.ts';
import { resultsMarkdown } from './resultsMarkdown.ts';
import { scoreBenchmark } from './scoreBenchmark.ts';
import { inspectLogName, writeInspectLog } from './writeInspectLog.ts';

/** A benchmark whose configuration has been checked. */
interface LoadedBenchmark extends PlannedBenchmark {
  readonly loaded: LoadedConfig;
}

/** How a player is evaluated: as a run is executed, but for what each benchmark says itself. */
export interface EvaluateOptions
  extends Omit<ExecuteRunOptions, 'loaded' | 'name' | 'from' | 'until' | 'retry'> {
  readonly configFile: string;
  readonly overrides: ConfigOverrides;
  /** The evaluation's folder below `runs_dir`; default: the configuration's name. */
  readonly name?: string;
  /** Play again what is unscored, in every benchmark where something is. What is wrong stays wrong. */
  readonly retry?: ExecuteRunOptions['retry'];
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
  const benchmarks = await loadBenchmarks(options);
  const [first] = benchmarks;
  const name = options.name ?? first!.loaded.name;
  const folder = runFolderOf(first!.loaded, name);
  if (existsSync(join(folder, 'run.json')))
    throw new UserError(`${folder} is a run, no evaluation; choose another --name`);
  const runs = benchmarks.map((benchmark) => ({
    ...benchmark,
    loaded: withRunsIn(benchmark.loaded, folder),
  }));
  for (const { loaded, name: benchmark } of runs) await refuseMissing(loaded, benchmark, options);
  const played: ShownBenchmark[] = [];
  for (const benchmark of runs) played.push(await playBenchmark(benchmark, folder, options));
  const { backend, model } = first!.loaded.config.teacher;
  const file: EvaluationFile = {
    format_version: 1,
    name: basename(folder),
    coa_distill_version: packageVersion(),
    player: { backend, model },
    benchmarks: played.map(({ result }) => result),
  };
  // All at the end: cut off between benchmarks, the files are those of one evaluation still.
  for (const { result, tasks } of played)
    await writeTaskResults(join(folder, TASK_RESULTS, `${result.name}.jsonl`), tasks);
  await replaceFile(join(folder, EVALUATION_FILE), `${JSON.stringify(file, null, 2)}\n`);
  await replaceFile(join(folder, RESULTS_TABLE), resultsMarkdown(file));
  await replaceFile(join(folder, REPORT_PAGE), renderEvaluation(file, played));
  return { folder, file };
}

const evaluatedSchema = z.looseObject({
  evaluation: evaluationConfigSchema.prefault({}),
  tasks: z.looseObject({ sources: z.array(taskSourceConfigSchema) }).optional(),
});

/** Reads a configuration once for each benchmark. Throws `UserError` that names everything that is wrong. */
async function loadBenchmarks({ configFile, overrides, env }: EvaluateOptions): Promise<LoadedBenchmark[]> {
  const document = await readSettings(configFile, overrides);
  const planned = benchmarksOf(document);
  const loaded: LoadedBenchmark[] = [];
  for (const benchmark of planned) {
    const derive = () => benchmark.document;
    loaded.push({
      ...benchmark,
      loaded: await loadConfig(configFile, overrides, env, undefined, { derive }),
    });
  }
  return loaded;
}

const RESULTS_TABLE = 'results.md';
const REPORT_PAGE = 'report.html';

/** What stands in an evaluation's folder beside the folders of its runs; with `run.json` it would be taken for a run. */
const ownFiles: ReadonlySet<string> = new Set([
  EVALUATION_FILE,
  RESULTS_TABLE,
  REPORT_PAGE,
  TASK_RESULTS,
  INSPECT_LOGS,
  'run.json',
]);

function benchmarksOf(document: ConfigDocument): PlannedBenchmark[] {
  const parsed = evaluatedSchema.safeParse(document.value ?? {});
  if (!parsed.success) {
    const problems = new ConfigProblems(document);
    for (const { keys, message } of explainIssues(parsed.error.issues, document.value))
      problems.add(keys, message);
    throw problems.error();
  }
  const { evaluation, tasks } = parsed.data;
  if (!evaluation.benchmarks && !tasks)
    throw new UserError(
      `${place(document, ['evaluation'])}: expected evaluation.benchmarks, or tasks.sources as in a run's configuration; the least is evaluation: { benchmarks: [{ name: gaia, file: gaia.parquet }] }`,
    );
  const planned = plannedBenchmarks(document, evaluation, tasks?.sources ?? []);
  const taken = planned.find(({ name }) => ownFiles.has(name) || name.startsWith('.'));
  if (taken)
    throw new UserError(
      `${place(document, ['evaluation', 'benchmarks'])}: no benchmark can be called "${taken.name}", where the evaluation has a file or folder of its own; name it otherwise in evaluation.benchmarks`,
    );
  const twice = planned.find(({ name }, at) => planned.findIndex((other) => other.name === name) !== at);
  if (twice)
    throw new UserError(
      `${place(document, ['evaluation', 'benchmarks'])}: two benchmarks are called "${twice.name}"; tell them apart by a suffix such as ${twice.name}-2`,
    );
  return planned;
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

async function refuseMissing(
  loaded: LoadedConfig,
  benchmark: string,
  { env, offline = false }: EvaluateOptions,
): Promise<void> {
  const { missing } = await plannedStages({ loaded, name: benchmark, env, offline, until: 'judge' });
  if (missing.length > 0) throw new UserError(`${benchmark}: ${missing.join('\n')}`);
}

async function playBenchmark(
  { name, samples, groupBy, clusterBy, loaded }: LoadedBenchmark,
  folder: string,
  { configFile: _, overrides: __, retry: wish, ...options }: EvaluateOptions,
): Promise<ShownBenchmark> {
  options.log(`benchmark ${name}: ${samples === 1 ? '1 sample' : `${samples} samples`} a task`);
  const retry = wish && { ...wish, unscoredOnly: true };
  const isRetried = retry !== undefined && (await hasFailed(join(folder, name), retry));
  const { folder: runFolder, run } = await executeRun({
    ...options,
    ...(isRetried && { retry }),
    loaded,
    name,
    until: 'judge',
  });
  const { max_unscored, training_data } = loaded.config.evaluation ?? evaluationConfigSchema.parse({});
  const training =
    training_data.length > 0 ? await openBenchmarkQuestions(training_data, options.signal) : undefined;
  try {
    const { tasks, leftOut } = await readTaskResults(runFolder, run, {
      samples,
      ...(groupBy !== undefined && { groupBy }),
      ...(clusterBy !== undefined && { clusterBy }),
      ...(training && { isSeen: (question: string) => training.find(question) !== undefined }),
    });
    const facts = {
      name,
      run: name,
      config_hash: run.config_hash,
      samples_per_task: samples,
      left_out: leftOut,
    };
    const result = scoreBenchmark(facts, tasks, {
      ks: ksUpTo(samples),
      seed: loaded.config.seed,
      maxUnscored: max_unscored,
    });
    await writeInspectLog(join(folder, INSPECT_LOGS, inspectLogName(run, name)), {
      result,
      tasks,
      runFolder,
      run,
      player: loaded.config.teacher,
    });
    return { result, tasks };
  } finally {
    training?.close();
  }
}

/** 1, 3, 5, 10, 50, 100 as far as there are samples, and the number of samples itself. */
function ksUpTo(samples: number): number[] {
  return [...new Set([1, 3, 5, 10, 50, 100].filter((k) => k < samples)).add(samples)].sort((a, b) => a - b);
}

async function writeTaskResults(path: string, tasks: readonly TaskResult[]): Promise<void> {
  const folder = dirname(path);
  await onDisk(folder, () => mkdir(folder, { recursive: true }));
  await replaceFile(path, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
}
