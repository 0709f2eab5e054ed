import { type CorpusStage, dropRecord, emitRecord } from '../contract/stage.ts';
import type { SelectConfig } from '../schemas/config/select.ts';
import { type Trajectory, trajectorySchema } from '../schemas/trajectory.ts';

/**
 * Keeps trajectories of tasks whose rollouts were right neither too seldom nor too often. A task of which no rollout was
 * judged has no rate, and stays.
 *
 * @param readRates - The share of right ones among the judged rollouts of each task; read once, when the stage begins.
 */
export function createPassRateStage(
  { min_pass_rate = 0, max_pass_rate = 1 }: SelectConfig,
  readRates: () => Promise<ReadonlyMap<string, number>>,
): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'select',
    version: 1,
    input: trajectorySchema,
    output: trajectorySchema,
    async *run(trajectories) {
      const rates = await readRates();
      let index = 0;
      for await (const trajectory of trajectories) {
        const { id, task_id } = trajectory;
        const pass_rate = rates.get(task_id);
        const outcome =
          pass_rate !== undefined && pass_rate > max_pass_rate
            ? dropRecord('too_easy', { pass_rate, max_pass_rate })
            : pass_rate !== undefined && pass_rate < min_pass_rate
              ? dropRecord('too_hard', { pass_rate, min_pass_rate })
              : emitRecord(trajectory);
        yield { index: index++, recordId: id, taskId: task_id, outcome };
      }
    },
  };
}
