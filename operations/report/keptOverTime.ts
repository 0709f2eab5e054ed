import { z } from 'zod';
import { readEvents } from '../../pipeline/run/eventLog.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import type { TimedKept } from '../../schemas/report.ts';
import { sampleSchema } from '../../schemas/sample.ts';

const calledSchema = z.object({
  at: z.iso.datetime(),
  event: z.literal('model_call'),
  task_id: z.string().optional(),
});
const MINUTE_MS = 60_000;

/**
 * How many tasks had their last call by each minute in which one had, how many of these are in the dataset, and their
 * rows. Nothing before there is a dataset.
 *
 * @throws UserError when records are damaged
 */
export async function keptOverTime(runFolder: string): Promise<TimedKept[]> {
  const rows = new Map<string, number>();
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema))
    rows.set(record.task_id, (rows.get(record.task_id) ?? 0) + (record.repeats ?? 1));
  if (rows.size === 0) return [];
  const last = new Map<string, number>();
  for await (const { at, task_id } of readEvents(runFolder, '"event":"model_call"', calledSchema)) {
    if (task_id !== undefined) last.set(task_id, Math.floor(Date.parse(at) / MINUTE_MS) * MINUTE_MS);
  }
  const sums = { tasks: 0, kept_tasks: 0, kept_rows: 0 };
  return [...Map.groupBy(last, ([, minute]) => minute)]
    .sort(([a], [b]) => a - b)
    .map(([at_ms, ended]) => {
      for (const [id] of ended) {
        sums.tasks++;
        sums.kept_tasks += Number(rows.has(id));
        sums.kept_rows += rows.get(id) ?? 0;
      }
      return { at_ms, ...sums };
    });
}
