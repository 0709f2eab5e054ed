import { z } from 'zod';
import { rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import { isJudgedCorrect, qualitySchema } from '../../schemas/trajectory.ts';
import { readRunFile } from './openRun.ts';
import { stageRecords } from './stageInputs.ts';
import { readLedger } from './stageJournals.ts';

/** What of a judged trajectory says how its rollout ended. */
const judgedSchema = z.object({
  task_id: z.string(),
  question: z.string(),
  quality: qualitySchema.pick({ verdicts: true }),
});

/**
 * The rates that a run's dataset says: of runs that roll each task out once there are none to say, and nothing is read.
 *
 * @throws UserError when records are damaged
 */
export async function datasetRates(runFolder: string): Promise<readonly PassRateLine[]> {
  const run = await readRunFile(runFolder);
  const teacher = teacherConfigSchema.safeParse(run?.config.teacher).data;
  const isSingle = teacher !== undefined && rolloutPlan(teacher).max === 1;
  return isSingle && run?.imported === undefined ? [] : readTaskRates(runFolder);
}

type TaskRates = PassRateLine & { unscored: number };

/**
 * How often a run's rollouts solved each task, as far as they were judged. A rollout that failed, could not be converted
 * or had no verdict on its answer is unscored, never wrong. Tasks come in the order of their first judged rollout, then
 * those without any by their ids; an entry a task is held.
 *
 * @throws UserError when records are damaged
 */
export async function readTaskRates(runFolder: string): Promise<readonly PassRateLine[]> {
  const tasks = new Map<string, TaskRates>();
  const taskOf = (task_id: string): TaskRates => {
    const task = tasks.get(task_id) ?? { task_id, passed: 0, samples: 0, unscored: 0 };
    tasks.set(task_id, task);
    return task;
  };
  for await (const { record } of stageRecords(runFolder, 'judge', judgedSchema)) {
    const task = taskOf(record.task_id);
    if (record.question !== '') task.question = record.question;
    if (record.quality.verdicts.some(({ subject }) => subject === 'answer')) task.samples++;
    else task.unscored++;
    if (isJudgedCorrect(record)) task.passed++;
  }
  const unjudged = new Map<string, number>();
  for (const stage of ['rollout', 'convert', 'judge'] as const) {
    for await (const { kind, task_id } of readLedger(runFolder, stage)) {
      // These stages drop nothing: what an import drops at its first one is no rollout.
      if (kind === 'fail') unjudged.set(task_id, (unjudged.get(task_id) ?? 0) + 1);
    }
  }
  for (const task_id of [...unjudged.keys()].sort()) taskOf(task_id).unscored += unjudged.get(task_id)!;
  return [...tasks.values()];
}
