import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryOptions } from '../../cli/runArguments.ts';
import { emitRecord } from '../../contract/stage.ts';
import { retryFailed } from '../../pipeline/run/retryFailed.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { StageLog } from '../../pipeline/run/stageLog.ts';
import { cases } from '../support/cases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { fakePipeline, fates } from './support/fakeStages.ts';
import { readJsonLines, runFake } from './support/runFake.ts';

const plan = fates.map((fate) => ({ fate, turns: 0 }));

test('failed inputs are pending again by cause or by task, the ledger keeps every line, and counts add up', async () => {
  const folder = temporaryFolder();
  await runFake(folder, fakePipeline(plan, 2));
  const history = readFileSync(join(folder, 'rollout/ledger.jsonl'), 'utf8');

  // A model's refusal is asked for again; a fault of ours may use the answers that are there.
  expect(await retryFailed(folder, { kind: 'failed' })).toEqual({ stage: 'rollout', inputs: 2 });
  const all = fakePipeline(plan, 2);
  expect(await runFake(folder, all)).toBe('finished');
  expect(all.asked.sort()).toEqual(['t4#1', 't5']);
  expect(readFileSync(join(folder, 'rollout/ledger.jsonl'), 'utf8').startsWith(history)).toBe(true);
  expect(await readStageFile(folder, 'rollout')).toMatchObject({
    complete: true,
    entered: 6,
    failed: { internal: 1, model_refused: 1 },
  });

  expect(await retryFailed(folder, { kind: 'failed', cause: 'model_refused' })).toMatchObject({ inputs: 1 });
  expect(await retryFailed(folder, { kind: 'task', taskId: 't5' })).toMatchObject({ inputs: 1 });
  const again = fakePipeline(plan, 2);
  await runFake(folder, again);
  expect(again.asked.sort()).toEqual(['t4#2', 't5']);
  expect(await causesOf(folder)).toEqual(['internal', 'model_refused']);
});

test('what did not fail is named, with what became of it', async () => {
  const folder = temporaryFolder();
  await runFake(folder, fakePipeline(plan, 2));
  const refused = (which: string) => expect(retryFailed(folder, retryOptions(which))).rejects;
  await refused('t3').toThrow(/t3 did not fail: rollout dropped it as wrong_answer/);
  await refused('t0').toThrow(/no failure of a task t0 .* internal, model_refused/);
  await refused('failed:endpoint_timeout').toThrow(/failed as endpoint_timeout; .*internal/);
  expect(() => retryOptions('failed:endpoint_timout')).toThrow(/did you mean "endpoint_timeout"/);
});

test('a retry that was cut off before it began goes on without being asked for again', async () => {
  const folder = temporaryFolder();
  await runFake(folder, fakePipeline(plan, 2));
  await retryFailed(folder, { kind: 'failed' });
  await expect(retryFailed(folder, { kind: 'failed' })).rejects.toThrow(/is resumed without --retry/);
  const again = fakePipeline(plan, 2);
  await runFake(folder, again);
  expect(again.asked.sort()).toEqual(['t4#1', 't5']);
});

test('a retry that is cut off anywhere loses no failure and no record', async () => {
  const fate = fc.constantFrom(...fates);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ fate, turns: fc.nat(2) }), { minLength: 4, maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
      async (tasks, stops) => {
        const path = temporaryFolder();
        await runFake(path, fakePipeline(tasks, 3));
        const before = (await causesOf(path)).length;
        for (const stop of stops) {
          if ((await causesOf(path)).length > 0) await retryFailed(path, { kind: 'failed' });
          await runFake(path, fakePipeline(tasks, 3), stop);
        }
        await runFake(path, fakePipeline(tasks, 3));
        expect((await causesOf(path)).length).toBe(before);
        const emitted = readJsonLines(join(path, 'rollout/records.jsonl')).map(({ index }) => index);
        expect(new Set(emitted).size).toBe(emitted.length);
        const { complete, entered } = (await readStageFile(path, 'rollout'))!;
        expect({ complete, entered }).toEqual({ complete: true, entered: tasks.length });
      },
    ),
    { numRuns: cases(25) },
  );
});

test('a retried input that went well stays done when the stage is cut off after it', async () => {
  const folder = temporaryFolder();
  const tasks = [{ fate: 'fail', turns: 0 } as const, { fate: 'fail', turns: 0 } as const];
  await runFake(folder, fakePipeline(tasks, 1));
  await retryFailed(folder, { kind: 'failed' });
  const record = { id: 't0.0', task_id: 't0' };
  const log = await StageLog.open(folder, 'rollout');
  log.record({ index: 0, recordId: 't0', taskId: 't0', outcome: emitRecord(record) });
  await log.close();
  const reopened = await StageLog.open(folder, 'rollout');
  expect([reopened.isFinished(0), reopened.isFinished(1)]).toEqual([true, false]);
  expect(reopened.finishedInputs).toBe(1);
  await reopened.close();
});

async function causesOf(folder: string): Promise<string[]> {
  const causes: string[] = [];
  for await (const entry of readLedger(folder, 'rollout')) {
    if (entry.kind === 'fail') causes.push(entry.failure.cause);
  }
  return causes.sort();
}
