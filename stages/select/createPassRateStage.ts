import { type CorpusStage, decideEach, dropRecord, emitRecord } from '../../contract/stage.ts';
import type { SelectConfig } from '../../schemas/config/select.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';

/**
 * Keeps trajectories of tasks whose rollouts were right neither too seldom nor too often. A task of which no rollout was
 * right or wrong has no rate, and stays.
 *
 * @param readRates - The pass rate of each task (`schemas/tryResult.ts`); read once, when the stage begins.
 */
export function createPassRateStage(
  { min_pass_rate = 0, max_pass_rate = 1 }: SelectConfig,
  readRates: () => Promise<ReadonlyMap<string, number>>,
): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'select',
    version: 2,
    input: trajectorySchema,
    output: trajectorySchema,
    async *run(trajectories) {
      const rates = await readRates();
      yield* decideEach(trajectories, (trajectory) => {
        const pass_rate = rates.get(trajectory.task_id);
        if (pass_rate === undefined) return emitRecord(trajectory);
        if (pass_rate > max_pass_rate) return dropRecord('too_easy', { pass_rate, max_pass_rate });
        if (pass_rate < min_pass_rate) return dropRecord('too_hard', { pass_rate, min_pass_rate });
        return emitRecord(trajectory);
      });
    },
  };
}
