import { z } from 'zod';
import { figuresEstimate } from '../../base/statistics/estimates.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readTaskRates } from '../../pipeline/run/taskRates.ts';
import type { PassGroup } from '../../schemas/report.ts';
import { taskProbeSchema } from '../../schemas/task.ts';
import { passRateOf } from '../../schemas/tryResult.ts';

const taskSchema = z.object({ id: z.string(), profile: z.string(), probe: taskProbeSchema.optional() });

/** Minimum probe pass rate of each difficulty, easiest first, as in `balance.difficulty`. */
const difficulties = [
  ['easy', 0.7],
  ['medium', 0.3],
  ['hard', 0],
] as const;

/**
 * Pass rates by profile and probe difficulty. Each task counts once; tasks without a judged rollout are excluded.
 *
 * @throws UserError if records are damaged
 */
export async function passGroups(runFolder: string): Promise<PassGroup[]> {
  const profiles = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'tasks', taskSchema))
    profiles.set(record.id, record.profile);
  const probed = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'probe', taskSchema)) {
    const rate = record.probe && passRateOf(record.probe);
    if (rate !== undefined) probed.set(record.id, difficulties.find(([, least]) => rate >= least)![0]);
  }
  const rates = (await readTaskRates(runFolder)).flatMap((task) => {
    const value = passRateOf(task);
    return value === undefined ? [] : [{ id: task.task_id ?? '', value }];
  });
  const groupsBy = (by: PassGroup['by'], groupOf: ReadonlyMap<string, string>): PassGroup[] => {
    const known = Map.groupBy(rates, ({ id }) => groupOf.get(id));
    return [...known].flatMap(([group, tasks]) => {
      const estimate = figuresEstimate(tasks);
      return group === undefined || !estimate ? [] : [{ by, group, tasks: tasks.length, ...estimate }];
    });
  };
  return [...groupsBy('profile', profiles), ...groupsBy('difficulty', probed)];
}
