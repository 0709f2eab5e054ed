import { readRunFile } from '../../pipeline/run/openRun.ts';
import { readLedger } from '../../pipeline/run/readLedger.ts';
import { stageRecords } from '../../pipeline/run/stageRecords.ts';
import { stagesOfRun } from '../../pipeline/run/stagesOfRun.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import type { TaskEnd } from '../../stages/plantedAgainstFound.ts';

type End = Pick<TaskEnd, 'end' | 'cause'>;

/**
 * How every task that has ended did, duplicates included, in the order of the task files. Holds one entry a task:
 * it is asked for only where an embedded teacher played.
 */
export async function* taskEnds(runFolder: string): AsyncGenerator<TaskEnd> {
  const duplicates = new Map<number, End>();
  for await (const entry of readLedger(runFolder, 'dedup')) duplicates.set(entry.index, endOf(entry));
  const ends = await endsByTask(runFolder);
  for await (const { index, record } of stageRecords(runFolder, 'tasks', taskSchema)) {
    const { question, profile, id } = record;
    const end = duplicates.get(index) ?? ends.get(id);
    if (end) yield { question, profile, ...end };
  }
}

async function endsByTask(runFolder: string): Promise<Map<string, End>> {
  const ends = new Map<string, End>();
  const stages = stagesOfRun(await readRunFile(runFolder));
  for (const stage of stages.filter((name) => name !== 'tasks' && name !== 'dedup')) {
    for await (const entry of readLedger(runFolder, stage)) ends.set(entry.task_id, endOf(entry));
  }
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema)) {
    ends.set(record.task_id, { end: 'kept', cause: null });
  }
  return ends;
}

function endOf(entry: LedgerEntry): End {
  return entry.kind === 'drop'
    ? { end: 'dropped', cause: entry.reason }
    : { end: 'failed', cause: entry.failure.cause };
}
