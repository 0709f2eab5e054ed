import { z } from 'zod';
import { stagesOfRun } from '../../pipeline/run/runFile.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { parseRecordLine, readLedger, readRecordLines } from '../../pipeline/run/stageJournals.ts';
import { type FilterMeasures, filterMeasuresSchema } from '../../schemas/filterMeasures.ts';
import type { JudgedTrajectory } from '../../schemas/filters/filterRule.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { qualitySchema, trajectorySchema } from '../../schemas/trajectory.ts';

/** A record that the filter has decided on, without its texts. */
export interface MeasuredRecord {
  /** `TASK`, or `TASK#1` for its second rollout. */
  readonly key: string;
  readonly trajectory: JudgedTrajectory;
  readonly measures: FilterMeasures;
  /** Reasons that the filter found; the first one dropped it. */
  readonly found: readonly string[];
}

const { id, task_id, rollout, profile } = trajectorySchema.shape;
const keySchema = z.object({ task_id, rollout });
/** Without evidence, which no rule decides by. */
const verdict = z.object({ subject: z.string(), judgement: z.string() });
const judgedSchema = keySchema.extend({
  id,
  profile,
  quality: qualitySchema.extend({ verdicts: z.array(verdict) }),
});
const keptSchema = z.object({ measures: filterMeasuresSchema });
const evidenceSchema = z.object({
  findings: z.array(z.object({ reason: z.string() })),
  measures: filterMeasuresSchema,
});

/** The records that a run's filter has decided on so far, with what it measured, at most so many. */
export async function readMeasured(folder: string, run: RunFile, most: number): Promise<MeasuredRecord[]> {
  const decided = await readDecided(folder);
  const stages = stagesOfRun(run);
  const before = stages[stages.indexOf('filter') - 1]!;
  const records: MeasuredRecord[] = [];
  for await (const { record } of stageRecords(folder, before, judgedSchema)) {
    const known = decided.get(record.id);
    if (!known) continue;
    const { id, profile, quality } = record;
    const trajectory = { id, profile, quality: quality as JudgedTrajectory['quality'] };
    records.push({ key: keyOf(record), trajectory, ...known });
    if (records.length === most) break;
  }
  return records;
}

function keyOf({ task_id: task, rollout: nth }: z.infer<typeof keySchema>): string {
  return nth === undefined ? task : `${task}#${nth}`;
}

/** By the ids of what went in: records that were imported may have one task, and no number. */
async function readDecided(folder: string): Promise<Map<string, Pick<MeasuredRecord, 'measures' | 'found'>>> {
  const decided = new Map<string, Pick<MeasuredRecord, 'measures' | 'found'>>();
  for await (const line of readRecordLines(folder, 'filter')) {
    const { input_id, records } = parseRecordLine(folder, 'filter', line);
    for (const record of records) {
      const kept = keptSchema.safeParse(record);
      if (kept.success) decided.set(input_id, { measures: kept.data.measures, found: [] });
    }
  }
  for await (const entry of readLedger(folder, 'filter')) {
    const evidence = evidenceSchema.safeParse(entry.kind === 'drop' ? entry.evidence : undefined);
    if (!evidence.success) continue;
    const { findings, measures } = evidence.data;
    decided.set(entry.record_id, { measures, found: findings.map(({ reason }) => reason) });
  }
  return decided;
}
