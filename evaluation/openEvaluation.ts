import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemList, UserError } from '../base/userError.ts';
import { assertBoundedJudge } from '../calls/budget/capsOf.ts';
import type { Session } from '../contract/session.ts';
import { openSandbox } from '../pipeline/compose/lazySandbox.ts';
import { openTools } from '../pipeline/compose/openTools.ts';
import { toolsWithoutRun } from '../pipeline/compose/toolsWithoutRun.ts';
import { toolsOf } from '../pipeline/config/toolsConfig.ts';
import { createSession } from '../pipeline/createSession.ts';
import { runFolderOf } from '../pipeline/executeRun.ts';
import { plannedStages, planRun, type RunPlan } from '../pipeline/planRun.ts';
import { problemsOf } from '../pipeline/preflight.ts';
import type { StageState } from '../pipeline/run/stageState.ts';
import { type BenchmarkQuestions, openBenchmarkQuestions } from '../stages/dedup/benchmarkQuestions.ts';
import {
  type BenchmarkSettings,
  type LoadedBenchmark,
  loadBenchmarks,
  refuseUnknownColumns,
} from './loadBenchmarks.ts';
import { portFor } from './serving/transformersServer.ts';

export interface OpeningOptions extends BenchmarkSettings {
  /** Folder below `runs_dir`; default: the configuration's name, as in {@link loadBenchmarks}. */
  readonly name?: string;
  readonly offline?: boolean;
  readonly signal: AbortSignal;
}

export interface CheckedBenchmark extends LoadedBenchmark {
  readonly stages: readonly StageState[];
  /** Plan; absent if an earlier session read the tasks and it was not requested. */
  readonly plan?: RunPlan;
}

export interface OpenedEvaluation {
  readonly folder: string;
  /** Port of a served player. */
  readonly port: number | undefined;
  readonly benchmarks: readonly CheckedBenchmark[];
  /** Missing parts of pending stages, one sentence each. */
  readonly missing: readonly string[];
  /** Questions the player was trained on. */
  readonly training: BenchmarkQuestions | undefined;
}

/**
 * Reads all files of an evaluation and checks all keys. Writes nothing and sends no requests.
 *
 * @param wants `plan`: also reads the tasks of benchmarks that are already past that stage
 * @throws UserError that lists all problems of all benchmarks
 */
export async function openEvaluation(
  options: OpeningOptions,
  wants: 'plan' | 'what_is_pending',
): Promise<OpenedEvaluation> {
  const { serve, signal } = options;
  const port = serve && (await portFor(serve.name));
  const { name, benchmarks: loaded } = await loadBenchmarks(options, port);
  const { config } = loaded[0]!.loaded;
  const folder = runFolderOf(loaded[0]!.loaded, options.name ?? name);
  if (existsSync(join(folder, 'run.json')))
    throw new UserError(`${folder} holds a run; choose another --name for the evaluation`);
  const benchmarks: CheckedBenchmark[] = [];
  const missing = new Set<string>();
  if (config.evaluation?.best_of_n && config.judge.model !== undefined) assertBoundedJudge(config);
  const learned = config.evaluation?.training_data ?? [];
  let training: BenchmarkQuestions | undefined;
  const problems = await problemsOf([
    ...loaded.map((one) => async () => {
      const benchmark = await checked(withRunsIn(one, folder), options, wants);
      benchmarks.push(benchmark);
      for (const what of benchmark.missing) missing.add(what);
    }),
    async () => {
      training = learned.length > 0 ? await openBenchmarkQuestions(learned, signal) : undefined;
    },
  ]);
  if (problems.length === 0) return { folder, port, benchmarks, missing: [...missing], training };
  training?.close();
  throw new ProblemList(problems);
}

async function checked(
  benchmark: LoadedBenchmark,
  { env, offline = false, signal }: OpeningOptions,
  wants: 'plan' | 'what_is_pending',
): Promise<CheckedBenchmark & Pick<OpenedEvaluation, 'missing'>> {
  const { loaded, name } = benchmark;
  const planned = await plannedStages({ loaded, name, env, offline, until: 'judge' });
  const isRead = planned.stages.some(({ stage, kind }) => stage === 'tasks' && kind === 'done');
  const plan = wants === 'plan' || !isRead ? await planRun(loaded, signal) : undefined;
  await refuseUnknownColumns(benchmark, signal);
  return { ...benchmark, ...planned, ...(plan && { plan }) };
}

function withRunsIn(benchmark: LoadedBenchmark, folder: string): LoadedBenchmark {
  const { loaded } = benchmark;
  return { ...benchmark, loaded: { ...loaded, config: { ...loaded.config, runs_dir: folder } } };
}

interface TryingOptions extends Pick<Session, 'env'> {
  /** Folder of the evaluation, in which its runs find indexes. */
  readonly folder: string;
  /** `sandbox`: writes nothing and starts no servers. */
  readonly which: 'all' | 'sandbox';
}

/**
 * Opens and closes the tools of unfinished benchmarks, with their servers, indexes and sandbox.
 *
 * @throws UserError, RunError for one that does not open
 */
export async function tryTools(
  benchmarks: readonly CheckedBenchmark[],
  { env, folder, which }: TryingOptions,
): Promise<void> {
  const pending = benchmarks.filter(({ stages }) =>
    stages.some(({ stage, kind }) => stage === 'rollout' && kind !== 'done'),
  );
  const [first] = pending;
  if (!first) return;
  const { config } = first.loaded;
  const wanted = new Set(pending.flatMap(({ loaded }) => [...toolsOf(loaded)]));
  await using session = createSession({ env });
  if (wanted.has('code') && config.tools.code) await openSandbox(config.tools.code, session);
  if (which === 'all')
    await openTools(
      { ...toolsWithoutRun({ config, wanted }, session), cacheFolder: join(folder, '.cache') },
      session,
    );
}
