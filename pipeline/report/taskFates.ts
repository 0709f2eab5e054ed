import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import type { TaskFate } from '../../stages/evaluate/plantedAgainstFound.ts';
import { stageNames } from '../contract/stage.ts';
import { readLedger } from '../run/readLedger.ts';
import { stageRecords } from '../run/stageRecords.ts';

type End = Pick<TaskFate, 'end' | 'cause'>;

/**
 * How every task that has ended did, duplicates included, in the order of the task files. Holds one entry a task:
 * it is asked for only where an embedded teacher played.
 */
export async function* taskFates(runFolder: string): AsyncGenerator<TaskFate> {
  const duplicates = new Set<number>();
  for await (const entry of readLedger(runFolder, 'dedup')) duplicates.add(entry.index);
  const ends = await endsByTask(runFolder);
  for await (const { index, record } of stageRecords(runFolder, 'tasks', taskSchema)) {
    const { question, profile, id } = record;
    const end = duplicates.has(index) ? duplicate : ends.get(id);
    if (end) yield { question, profile, ...end };
  }
}

const duplicate: End = { end: 'dropped', cause: 'duplicate_question' };

async function endsByTask(runFolder: string): Promise<Map<string, End>> {
  const ends = new Map<string, End>();
  for (const stage of stageNames.slice(stageNames.indexOf('rollout'))) {
    for await (const entry of readLedger(runFolder, stage)) {
      ends.set(
        entry.task_id,
        entry.kind === 'drop'
          ? { end: 'dropped', cause: entry.reason }
          : { end: 'failed', cause: entry.failure.cause },
      );
    }
  }
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema)) {
    ends.set(record.task_id, { end: 'kept', cause: null });
  }
  return ends;
}
