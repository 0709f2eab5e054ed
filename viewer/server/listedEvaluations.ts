import { join } from 'node:path';
import { evaluationNames, readEvaluation } from '../../evaluation/evaluationFolder.ts';
import { RUNS_DIR } from '../../pipeline/run/runNames.ts';

/** The evaluations under `runs/` with the headline score of each benchmark; of a damaged one what is wrong with it. */
export async function listedEvaluations() {
  return Promise.all(evaluationNames().map(listedEvaluation));
}

async function listedEvaluation(name: string) {
  try {
    const { player, benchmarks } = await readEvaluation(join(RUNS_DIR, name));
    return {
      name,
      error: null,
      model: player.model,
      benchmarks: benchmarks.map(({ name: benchmark, too_many_unscored, all }) => {
        const { score, bounds, scored_tasks, cost_usd } = all;
        return { benchmark, too_many_unscored, score, bounds, scored_tasks, cost_usd };
      }),
    };
  } catch (error) {
    return { name, error: (error as Error).message, model: '', benchmarks: [] };
  }
}
