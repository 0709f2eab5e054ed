import { basename, join } from 'node:path';
import { estimateRun, knownEstimate, type WorkEstimate } from '../pipeline/estimate/estimateWork.ts';
import type { RunPlan } from '../pipeline/planRun.ts';
import { problemsOf } from '../pipeline/preflight.ts';
import { sameNameNotice } from '../pipeline/run/findRun.ts';
import { type CheckedBenchmark, type OpeningOptions, openEvaluation, tryTools } from './openEvaluation.ts';

/** What an evaluation would do, were none of its tasks played yet. */
export interface EvaluationPlan {
  readonly evaluation: string;
  readonly benchmarks: readonly BenchmarkPlan[];
  /** What is not there: keys, files of stages, a sandbox that runs programs. */
  readonly missing: readonly string[];
  /** Where another one of the same name lies, see {@link sameNameNotice}. */
  readonly elsewhere?: string;
}

export interface BenchmarkPlan extends RunPlan, Pick<CheckedBenchmark, 'name' | 'samples' | 'stages'> {
  /** Of the tasks that are left; absent while too few have ended. */
  readonly estimate?: WorkEstimate;
}

/** Plans an evaluation after the checks of {@link openEvaluation}. Throws what it throws. */
export async function planEvaluation(options: OpeningOptions): Promise<EvaluationPlan> {
  const { folder, benchmarks, missing, training } = await openEvaluation(options, 'plan');
  training?.close();
  const { env, offline } = options;
  const elsewhere = sameNameNotice(folder, options.configFile);
  const tools = offline ? [] : [() => tryTools(benchmarks, { env, folder, which: 'sandbox' })];
  return {
    evaluation: basename(folder),
    benchmarks: await Promise.all(
      benchmarks.map(async ({ name, samples, stages, plan, loaded }) => {
        const estimate = await knownEstimate(() =>
          estimateRun(plan!.tasks, join(folder, name), loaded.config, true),
        );
        return { name, samples, stages, ...plan!, ...(estimate && { estimate }) };
      }),
    ),
    missing: [...missing, ...(await problemsOf(tools))],
    ...(elsewhere !== undefined && { elsewhere }),
  };
}
