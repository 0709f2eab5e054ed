import { z } from 'zod';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { filterMeasuresSchema } from '../../schemas/filterMeasures.ts';
import { type GroundingCounts, withGrounding } from '../../schemas/groundingCounts.ts';

const measuredSchema = z.object({
  measures: filterMeasuresSchema.pick({ grounding: true }).strip().optional(),
});

/** Grounding of the filter's input, without wrong answers; null if not measured. */
export async function readGrounding(runFolder: string): Promise<GroundingCounts | null> {
  let counts: GroundingCounts | undefined;
  const add = (from: unknown) => {
    const grounding = measuredSchema.safeParse(from).data?.measures?.grounding;
    if (grounding) counts = withGrounding(counts, grounding);
  };
  for await (const { record } of stageRecords(runFolder, 'filter', measuredSchema)) add(record);
  for await (const entry of readLedger(runFolder, 'filter'))
    if (entry.kind === 'drop' && !isWrong(entry.evidence)) add(entry.evidence);
  return counts ?? null;
}

const findingsSchema = z.object({ findings: z.array(z.object({ reason: z.string() })) });

function isWrong(evidence: unknown): boolean {
  const { findings = [] } = findingsSchema.safeParse(evidence).data ?? {};
  return findings.some(({ reason }) => reason === 'wrong_answer');
}
