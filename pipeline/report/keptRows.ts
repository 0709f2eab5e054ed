import { z } from 'zod';
import type { ReportData } from '../../schemas/report.ts';
import { type Sample, sampleSchema } from '../../schemas/sample.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { stageRecords } from '../run/stageRecords.ts';

/** Trajectories that the report shows of each profile. */
const SAMPLES_A_PROFILE = 2;

const figuresSchema = z.object({
  id: z.string(),
  profile: z.string(),
  quality: z.object({ interactions: z.int() }),
});

/** The figures of each kept row, in row order. */
export async function keptRows(runFolder: string): Promise<ReportData['rows']> {
  const rows: ReportData['rows'][number][] = [];
  for await (const { sample, record } of exported(runFolder, figuresSchema)) {
    const { tokens, trained_tokens } = sample;
    const { profile, quality } = record;
    rows.push({ profile, tokens, trained_tokens, interactions: quality.interactions });
  }
  return rows;
}

/** The first kept trajectories of each profile. */
export async function sampleTrajectories(runFolder: string): Promise<Trajectory[]> {
  const shown = new Map<string, number>();
  const samples: Trajectory[] = [];
  for await (const { record } of exported(runFolder, z.custom<Trajectory>())) {
    const count = shown.get(record.profile) ?? 0;
    if (count >= SAMPLES_A_PROFILE) continue;
    shown.set(record.profile, count + 1);
    samples.push(trajectorySchema.parse(record));
  }
  return samples;
}

/** Each sample beside the trajectory it was made from: both stages stand in the same order. */
async function* exported<T extends { readonly id: string }>(
  runFolder: string,
  schema: z.ZodType<T>,
): AsyncGenerator<{ sample: Sample; record: T }> {
  const samples = stageRecords(runFolder, 'export', sampleSchema);
  let next = await samples.next();
  for await (const { record } of stageRecords(runFolder, 'filter', schema)) {
    if (next.done) return;
    if (next.value.record.id !== record.id) continue;
    yield { sample: next.value.record, record };
    next = await samples.next();
  }
}
