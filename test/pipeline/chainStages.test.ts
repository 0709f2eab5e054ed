import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type CorpusStage, dropRecord, emitRecord } from '../../contract/stage.ts';
import { chainStages } from '../../pipeline/stages/chainStages.ts';
import { runCorpusStage } from '../support/runStage.ts';

const recordSchema = z.object({ id: z.string(), number: z.int() });
type NumberRecord = z.infer<typeof recordSchema>;

/** Drops the records whose number has a factor, having read all of them once before, and gives them out backwards. */
function without(factor: number): CorpusStage<NumberRecord, NumberRecord> {
  return {
    name: 'select',
    version: factor,
    input: recordSchema,
    output: recordSchema,
    async *run(records) {
      const all: NumberRecord[] = [];
      for await (const record of records) all.push(record);
      const again: NumberRecord[] = [];
      for await (const record of records) again.push(record);
      expect(again).toEqual(all);
      for (const [index, record] of [...all.entries()].reverse()) {
        const outcome =
          record.number % factor === 0 ? dropRecord('over_quota', { factor }) : emitRecord(record);
        yield { index, recordId: record.id, taskId: record.id, outcome };
      }
    },
  };
}

test('each record ends once, at its own place: what the first drops the second never sees', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 40 }), { maxLength: 60 }), async (numbers) => {
      const records = numbers.map((number, at) => ({ id: `r${at}`, number }));
      const outcomes = await runCorpusStage(chainStages(without(2), without(3)), records);
      expect(outcomes.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([...records.keys()]);
      for (const { index, recordId, outcome } of outcomes) {
        const { id, number } = records[index]!;
        expect(recordId).toBe(id);
        const factor = [2, 3].find((one) => number % one === 0);
        expect(outcome).toEqual(factor ? dropRecord('over_quota', { factor }) : emitRecord(records[index]));
      }
    }),
  );
});

test('a new version of either stage is a new version of both', () => {
  const versions = [
    [2, 3],
    [3, 2],
    [2, 4],
    [4, 3],
  ].map(([a, b]) => chainStages(without(a!), without(b!)).version);
  expect(new Set(versions).size).toBe(versions.length);
});
