import { basename } from 'node:path';
import { sum } from '../base/sum.ts';
import { judgeCost } from '../pipeline/planCalls.ts';
import type { RunPlan } from '../pipeline/planRun.ts';
import { problemsOf } from '../pipeline/preflight.ts';
import { sameNameNotice } from '../pipeline/run/findRun.ts';
import type { Config } from '../schemas/config/config.ts';
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
  /** Most calls of `judge.model` that pick the best of the samples, in no other figure; absent where none is picked. */
  readonly picks?: {
    readonly model_calls: number;
    /** Null where no price is known. */
    readonly cost_usd: number | null;
  };
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
    benchmarks: benchmarks.map(({ name, samples, stages, plan, loaded }) => {
      const picks = picksOf(samples, loaded.config, plan!);
      return { name, samples, stages, ...plan!, ...(picks && { picks }) };
    }),
    missing: [...missing, ...(await problemsOf(tools))],
    ...(elsewhere !== undefined && { elsewhere }),
  };
}

function picksOf(samples: number, config: Config, { tasks }: RunPlan): BenchmarkPlan['picks'] {
  if (!config.evaluation?.best_of_n || samples < 2) return undefined;
  const model_calls = sum(tasks.map((row) => row.tasks));
  return { model_calls, cost_usd: judgeCost(config, model_calls) };
}
