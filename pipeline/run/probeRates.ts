import { join } from 'node:path';
import { z } from 'zod';
import { AtomicFile } from '../../base/files/atomicFile.ts';
import { type StageName, stagesBefore } from '../../contract/stageTable.ts';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import { type TaskProbe, taskProbeSchema } from '../../schemas/task.ts';
import { readRunFile, stagesOfRun } from './runFile.ts';
import { stagePaths } from './stageFiles.ts';
import { stageRecords } from './stageInputs.ts';
import { readLedger } from './stageJournals.ts';

/** The file with what a run's probe found, in the form that `probe.results` and `filters.difficulty` read. */
export function probeRatesFile(runFolder: string): string {
  return join(stagePaths(runFolder, 'probe').folder, 'pass_rates.jsonl');
}

const askedSchema = z.object({ id: z.string(), question: z.string() });
const probedSchema = z.object({ id: z.string(), probe: taskProbeSchema.optional() });

/**
 * Writes {@link probeRatesFile}: a line for each task that has a rate, dropped ones included, in the order of the tasks.
 * Three numbers a task are held.
 *
 * @throws UserError when records are damaged
 */
export async function writeProbeRates(runFolder: string): Promise<void> {
  const found = new Map<string, TaskProbe>();
  for await (const { record } of stageRecords(runFolder, 'probe', probedSchema))
    if (record.probe) found.set(record.id, record.probe);
  for await (const entry of readLedger(runFolder, 'probe')) {
    const probe = entry.kind === 'drop' ? taskProbeSchema.safeParse(entry.evidence).data : undefined;
    if (probe) found.set(entry.task_id, probe);
  }
  const file = await AtomicFile.create(probeRatesFile(runFolder));
  for await (const { record } of stageRecords(runFolder, await stageBeforeProbe(runFolder), askedSchema)) {
    const probe = found.get(record.id);
    if (!probe) continue;
    const line: PassRateLine = {
      task_id: record.id,
      question: record.question,
      ...{ passed: probe.passed, samples: probe.samples, unscored: probe.unscored },
      without_answer: probe.without_answer ?? 0,
    };
    await file.write(`${JSON.stringify(line)}\n`);
  }
  await file.commit();
}

async function stageBeforeProbe(runFolder: string): Promise<StageName> {
  const stages = stagesOfRun(await readRunFile(runFolder));
  return stagesBefore('probe').findLast((name) => stages.includes(name)) ?? stagesBefore('probe')[0]!;
}
