import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CorpusStage, dropRecord, emitRecord } from '../../contract/stage.ts';
import { retryFailed } from '../../pipeline/run/retryFailed.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { readTargetFile } from '../../pipeline/run/wholeFiles.ts';
import { lackingFor, type TargetConfig, wantedCounts } from '../../schemas/config/target.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { fullReport } from '../viewer/support/reportSample.ts';
import {
  type ChainPlan,
  chained,
  type FakeRecord,
  fakeChain,
  fakeRecordSchema,
} from './support/fakeStages.ts';
import { orderedContent, runFake } from './support/runFake.ts';

const step = (fate: 'emit' | 'drop' | 'fail') => ({ fate, turns: 0 });
const planOf = (kept: boolean, turns = 0): ChainPlan => ({
  rollout: { fate: 'emit', turns },
  ...{ convert: step('emit'), judge: step('emit'), filter: step(kept ? 'emit' : 'drop') },
});

/** A run whose export cuts at a target, as the dataset's writer does, and says so in a manifest. */
function windowedChain(folder: string, plan: readonly ChainPlan[], target: TargetConfig, concurrency = 4) {
  const chain = fakeChain(plan, concurrency);
  const exporting: CorpusStage<FakeRecord, FakeRecord> = {
    ...{ name: 'export', version: 1, input: fakeRecordSchema, output: fakeRecordSchema },
    async *run(records) {
      const held = { rows: 0, tokens: 0, profiles: {} as Record<string, number> };
      let index = 0;
      for await (const record of records) {
        const profile = record.profile!;
        const isOver = lackingFor(profile, wantedCounts(target), held) === 0;
        const outcome = isOver ? dropRecord('over_target', {}) : emitRecord(record);
        if (!isOver) {
          held.rows++;
          held.tokens += 100;
          held.profiles[profile] = (held.profiles[profile] ?? 0) + 1;
        }
        yield { index: index++, recordId: record.id, taskId: record.task_id, outcome };
      }
      mkdirSync(join(folder, 'dataset'), { recursive: true });
      const manifest: Manifest = { ...fullReport.manifest!, ...held };
      writeFileSync(join(folder, 'dataset/manifest.json'), JSON.stringify(manifest));
    },
  };
  const configHash = JSON.stringify(['export', target]);
  const stages = chain.stages.map((stage) =>
    stage.stage === 'export'
      ? { ...stage, configHash, opened: { kind: 'corpus' as const, stage: exporting } }
      : stage,
  );
  return { ...chain, stages, target };
}

const windowsOf = async (folder: string) => (await readTargetFile(folder))!;
const heldAt = async (folder: string) => (await windowsOf(folder)).windows.at(-1)!.held;
const stages = ['tasks', ...chained, 'export'];

test('stopped anywhere and resumed, with any concurrency, windows and dataset are those of an undisturbed run', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ kept: fc.boolean(), turns: fc.nat(4) }), { minLength: 30, maxLength: 70 }),
      fc.constantFrom<TargetConfig>({ rows: 12 }, { rows: { web: 4, mhqa: 9 } }, { tokens: 1_350 }),
      fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 16, 64),
      async (tasks, target, stops, concurrency) => {
        const plan = tasks.map(({ kept, turns }) => planOf(kept, turns));
        const [whole, cut] = [temporaryFolder(), temporaryFolder()];
        const undisturbed = windowedChain(whole, plan, target, 1);
        await runFake(whole, undisturbed);
        const asked: string[] = [];
        for (const stopAfter of [...stops, undefined]) {
          const chain = windowedChain(cut, plan, target, concurrency);
          await runFake(cut, chain, stopAfter);
          asked.push(...chain.asked.rollout);
        }
        expect(orderedContent(cut, stages)).toEqual(orderedContent(whole, stages));
        expect(await windowsOf(cut)).toEqual(await windowsOf(whole));
        // No task that the windows of an undisturbed run leave alone is begun.
        expect(new Set(asked)).toEqual(new Set(undisturbed.asked.rollout));
      },
    ),
    { numRuns: 5 },
  );
});

test('a target takes the tasks that it needs; a higher one goes on behind them, none at all takes the rest', async () => {
  const folder = temporaryFolder();
  const plan = Array.from({ length: 100 }, (_, n) => planOf(n % 2 === 0));
  const first = windowedChain(folder, plan, { rows: 20 });
  await runFake(folder, first);
  // 20 tasks gave 10, 20 more the rest.
  expect(first.asked.rollout).toHaveLength(40);
  expect(await heldAt(folder)).toEqual({ '*': 20 });
  const again = windowedChain(folder, plan, { rows: 20 });
  await runFake(folder, again);
  expect(again.asked.rollout).toEqual([]);
  const higher = windowedChain(folder, plan, { rows: 30 });
  await runFake(folder, higher);
  expect(higher.asked.rollout).toEqual(Array.from({ length: 20 }, (_, n) => `t${40 + n}`));
  expect(await heldAt(folder)).toEqual({ '*': 30 });
  const lower = windowedChain(folder, plan, { rows: 25 });
  await runFake(folder, lower);
  expect(lower.asked.rollout).toEqual([]);
  expect((await readStageFile(folder, 'export'))!.dropped).toEqual({ over_target: 5 });
  const { target: _, ...untargeted } = windowedChain(folder, plan, { rows: 25 });
  await runFake(folder, untargeted);
  expect(untargeted.asked.rollout).toHaveLength(40);
  expect(await readTargetFile(folder)).toBeNull();
  // A target of a run that has worked on all tasks already has but the rows to cut.
  const late = windowedChain(folder, plan, { rows: 10 });
  await runFake(folder, late);
  expect(late.asked.rollout).toEqual([]);
  expect((await windowsOf(folder)).windows).toEqual([{ tasks: { web: 34, mhqa: 66 }, held: { '*': 10 } }]);
});

test('an endpoint that dies behind the first window does not use up the tasks', async () => {
  const folder = temporaryFolder();
  const plan = Array.from({ length: 90 }, (_, n) => planOf(n % 2 === 0));
  const chain = windowedChain(folder, plan, { rows: 40 });
  const failure = { cause: 'endpoint_refused', message: 'gone', retryable: true, evidence: {} } as const;
  const stages = chain.stages.map((stage) => {
    if (stage.stage !== 'rollout' || stage.opened?.kind !== 'record') return stage;
    const working = stage.opened.stage;
    const run: typeof working.run = async (record, context) =>
      Number(record.id.slice(1)) < 20 ? working.run(record, context) : { kind: 'fail', failure };
    return { ...stage, opened: { kind: 'record' as const, stage: { ...working, run } } };
  });
  const dead = /^all 60 new inputs of rollout failed at the endpoint; first error: gone;/;
  await expect(runFake(folder, { ...chain, stages })).rejects.toThrow(dead);
  await expect(runFake(folder, { ...chain, stages })).rejects.toThrow(dead);
  await retryFailed(folder, { kind: 'failed' });
  await runFake(folder, windowedChain(folder, plan, { rows: 40 }));
  expect((await windowsOf(folder)).windows.map(({ tasks }) => tasks)).toEqual([
    { web: 7, mhqa: 13 },
    { web: 27, mhqa: 53 },
  ]);
  expect(await heldAt(folder)).toEqual({ '*': 40 });
});

test('tasks of profiles that no row is wanted of are left alone; where tasks run out, the rest is missing', async () => {
  const folder = temporaryFolder();
  const plan = Array.from({ length: 30 }, (_, n) => planOf(n % 2 === 0));
  const chain = windowedChain(folder, plan, { rows: { web: 9 } });
  await runFake(folder, chain);
  expect(chain.asked.rollout).toEqual(plan.flatMap((_, n) => (n % 3 === 0 ? [`t${n}`] : [])));
  expect(await windowsOf(folder)).toMatchObject({ available: { web: 10 }, wanted: { web: 9 } });
  expect(await heldAt(folder)).toEqual({ web: 5 });
});
