import { join } from 'node:path';
import { byName } from '../base/counts.ts';
import { added, mostSpent, readSpent } from '../calls/budget/spendingLog.ts';
import { executeRun } from '../pipeline/executeRun.ts';
import { hasFailed } from '../pipeline/run/retryFailed.ts';
import type { ExecuteRunOptions } from '../pipeline/workSession.ts';
import type { BenchmarkQuestions } from '../stages/dedup/benchmarkQuestions.ts';
import { evaluationConfigSchema } from './evaluationConfig.ts';
import { INSPECT_LOGS, PICKS } from './evaluationFolder.ts';
import type { LoadedBenchmark } from './loadBenchmarks.ts';
import { pickBest } from './pickBest.ts';
import { NO_GROUP, readTaskResults } from './readTaskResults.ts';
import type { BenchmarkResult } from './records/evaluationFile.ts';
import type { SampleResult, TaskResult } from './records/sampleResult.ts';
import { type ScoreOptions, scoreTasks } from './scoreTasks.ts';
import { inspectLogName, writeInspectLog } from './writeInspectLog.ts';

export interface PlayedBenchmark {
  readonly result: BenchmarkResult;
  readonly tasks: readonly TaskResult[];
}

/** Options of a benchmark: those of a run, except the ones that the benchmark sets. */
export interface PlayOptions extends Omit<ExecuteRunOptions, 'loaded' | 'name' | 'from' | 'until' | 'retry'> {
  /** Plays unscored samples again; wrong ones stay wrong. */
  readonly retry?: ExecuteRunOptions['retry'];
  /** Questions the player was trained on; absent: not checked. */
  readonly training?: BenchmarkQuestions | undefined;
}

/** Lets the player solve a benchmark in the evaluation's folder, and scores it. */
export async function playBenchmark(
  { name, samples, groupBy, clusterBy, loaded }: LoadedBenchmark,
  folder: string,
  { retry: asked, training, ...options }: PlayOptions & Required<Pick<PlayOptions, 'shared'>>,
): Promise<PlayedBenchmark> {
  options.log(`benchmark ${name}: ${samples === 1 ? '1 sample' : `${samples} samples`} a task`);
  const retry = asked && { ...asked, unscoredOnly: true };
  const isRetried = retry !== undefined && (await hasFailed(join(folder, name), retry));
  const picks = join(folder, PICKS, name);
  const beside = options.shared.spent;
  const { folder: runFolder, run } = await executeRun({
    ...options,
    shared: { ...options.shared, spent: added(beside, mostSpent(await readSpent(picks))) },
    ...(isRetried && { retry }),
    loaded,
    name,
    until: 'judge',
  });
  const { max_unscored, best_of_n } = loaded.config.evaluation ?? evaluationConfigSchema.parse({});
  const {
    tasks: read,
    leftOut,
    behaviour,
  } = await readTaskResults(runFolder, run, {
    samples,
    profileOf: loaded.profiles.profileOf,
    ...(groupBy !== undefined && { groupBy }),
    ...(clusterBy !== undefined && { clusterBy }),
    ...(training && { isSeen: (question: string) => training.find(question) !== undefined }),
  });
  const isPicked = best_of_n && samples > 1;
  const { tasks, use } = isPicked
    ? await pickBest(read, {
        ...options,
        loaded,
        runFolder,
        folder: picks,
        spentElsewhere: added(beside, mostSpent(await readSpent(runFolder))),
      })
    : { tasks: read, use: undefined };
  const use_by_role = { ...behaviour.use_by_role, ...(use && { judge_of_best: use }) };
  const facts = {
    ...behaviour,
    use_by_role,
    name,
    run: name,
    config_hash: run.config_hash,
    samples_per_task: samples,
    left_out: leftOut,
  };
  const result = scoreBenchmark(facts, tasks, {
    ks: ksUpTo(samples),
    maxUnscored: max_unscored,
  });
  const { teacher } = loaded.config;
  await writeInspectLog(join(folder, INSPECT_LOGS, inspectLogName(run, name)), {
    result,
    tasks,
    runFolder,
    run,
    player: { backend: teacher.backend, model: teacher.model.model },
  });
  return { result, tasks };
}

/** k values: 1, 3, 5, 10, 50, 100 up to the number of samples, and that number. */
function ksUpTo(samples: number): number[] {
  return [...new Set([1, 3, 5, 10, 50, 100].filter((k) => k < samples)).add(samples)].sort((a, b) => a - b);
}

/** Fields of a result that do not come from tasks. */
type BenchmarkFacts = Pick<
  BenchmarkResult,
  'name' | 'run' | 'config_hash' | 'samples_per_task' | 'left_out' | 'grammar' | 'incidents' | 'use_by_role'
>;

export function scoreBenchmark(
  facts: BenchmarkFacts,
  tasks: readonly TaskResult[],
  { maxUnscored, ...options }: ScoreOptions & { readonly maxUnscored: number },
): BenchmarkResult {
  const samples = tasks.flatMap((task) => task.samples);
  const unscored = samples.filter(({ result }) => result === 'unscored').length;
  const isChecked = tasks.some(({ seen_in_training }) => seen_in_training !== undefined);
  const seen = (wanted: boolean) =>
    scoreTasks(
      tasks.filter(({ seen_in_training }) => seen_in_training === wanted),
      options,
    );
  return {
    ...facts,
    too_many_unscored: samples.length === 0 || unscored > maxUnscored * samples.length,
    all: scoreTasks(tasks, options),
    groups: groupScores(tasks, options),
    ...(isChecked && { contamination: { unseen: seen(false), seen: seen(true) } }),
    double_check: doubleChecks(samples),
    reflections: meanOf(samples.map(({ reflections }) => reflections)),
    repeated_tool_inputs: meanOf(samples.map(({ repeated_tool_inputs }) => repeated_tool_inputs)),
  };
}

/** Empty if no task has the column. */
function groupScores(tasks: readonly TaskResult[], options: ScoreOptions): BenchmarkResult['groups'] {
  const groups = [...Map.groupBy(tasks, ({ group = NO_GROUP }) => group)];
  if (groups.every(([group]) => group === NO_GROUP)) return {};
  return byName(groups.map(([group, of]) => [group, scoreTasks(of, options)] as const));
}

function doubleChecks(samples: readonly SampleResult[]): BenchmarkResult['double_check'] {
  const scored = samples.filter(({ result, double_check }) => result !== 'unscored' && double_check !== null);
  return [...Map.groupBy(scored, ({ double_check }) => double_check!)]
    .sort(([a], [b]) => a - b)
    .map(([score, of]) => ({
      score,
      samples: of.length,
      right: of.filter(({ result }) => result === 'right').length,
    }));
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
