import { basename, join } from 'node:path';
import { estimateRun, knownEstimate, type WorkEstimate } from '../pipeline/estimate/estimateWork.ts';
import type { RunPlan } from '../pipeline/planRun.ts';
import { problemsOf } from '../pipeline/preflight.ts';
import { sameNameNotice } from '../pipeline/run/findRun.ts';
import { type CheckedBenchmark, type OpeningOptions, openEvaluation, tryTools } from './openEvaluation.ts';

/** Plan of an evaluation as if no task had been played. */
export interface EvaluationPlan {
  readonly evaluation: string;
  readonly benchmarks: readonly BenchmarkPlan[];
  /** Missing parts: keys, files of stages, a working sandbox. */
  readonly missing: readonly string[];
  /** Existing evaluation of the same name, see {@link sameNameNotice}. */
  readonly elsewhere?: string;
}

export interface BenchmarkPlan extends RunPlan, Pick<CheckedBenchmark, 'name' | 'samples' | 'stages'> {
  /** Estimate for the remaining tasks; absent until enough have ended. */
  readonly estimate?: WorkEstimate;
}

/** Plans an evaluation after the checks of {@link openEvaluation}, with the same errors. */
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
