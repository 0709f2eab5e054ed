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

/** Which evaluation is opened. */
export interface OpeningOptions extends BenchmarkSettings {
  /** The evaluation's folder below `runs_dir`; default: the configuration's name, as {@link loadBenchmarks} says it. */
  readonly name?: string;
  readonly offline?: boolean;
  readonly signal: AbortSignal;
}

/** A benchmark whose tasks have been read. */
export interface CheckedBenchmark extends LoadedBenchmark {
  readonly stages: readonly StageState[];
  /** What it takes; absent where its tasks were read by an earlier session, and nobody asked. */
  readonly plan?: RunPlan;
}

/** An evaluation of which every file has been read. */
export interface OpenedEvaluation {
  readonly folder: string;
  /** Where a served player will be. */
  readonly port: number | undefined;
  readonly benchmarks: readonly CheckedBenchmark[];
  /** What the pending stages lack, one sentence each. */
  readonly missing: readonly string[];
  /** What the player learned from. */
  readonly training: BenchmarkQuestions | undefined;
}

/**
 * Reads every file that an evaluation needs, and looks for every key. Writes nothing, and asks nobody.
 *
 * @param wants `plan`: also the tasks of benchmarks are read that need no reading any more
 * @throws UserError that names everything that is wrong with any of the benchmarks
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
  /** The evaluation's, for indexes, which its runs find there. */
  readonly folder: string;
  /** `sandbox`: nothing is written, and no server asked. */
  readonly which: 'all' | 'sandbox';
}

/**
 * Opens the tools of benchmarks that are still to be played, with their servers, indexes and sandbox, and closes them.
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
