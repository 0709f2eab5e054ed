import type { z } from 'zod';
import { stageBeforeExport } from '../pipeline/run/runFile.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { type Sample, sampleSchema } from '../schemas/sample.ts';

/**
 * Each sample of a dataset beside the record that it was made from, in the order of the dataset, in which both stages
 * stand; undefined where the earlier stage no longer has it.
 */
export async function* exportedRecords<T extends { readonly id: string }>(
  runFolder: string,
  schema: z.ZodType<T>,
): AsyncGenerator<{ readonly sample: Sample; readonly record: T | undefined }> {
  const given = stageRecords(runFolder, await stageBeforeExport(runFolder), schema);
  try {
    for await (const { record: sample } of stageRecords(runFolder, 'export', sampleSchema)) {
      let next = await given.next();
      while (!next.done && next.value.record.id !== sample.id) next = await given.next();
      yield { sample, record: next.done ? undefined : next.value.record };
    }
  } finally {
    await given.return(undefined);
  }
}
