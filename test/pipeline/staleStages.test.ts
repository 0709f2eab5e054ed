import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markStaleFrom } from '../../pipeline/run/markStale.ts';
import { readStageStates } from '../../pipeline/run/readStageStates.ts';
import {
  describeStageState,
  outdatesLater,
  paidRerunReason,
  type StageState,
  type StageTarget,
  stageState,
} from '../../pipeline/run/stageState.ts';
import type { StageFile } from '../../schemas/run/runFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { type FakeSettings, fakePipeline, fates } from './support/fakeStages.ts';
import { orderedContent, runFake } from './support/runFake.ts';

const wanted: StageTarget = {
  stage: 'judge',
  version: 2,
  configHash: 'now',
  settings: { judge: { min_f1: 1 } },
};
const counts = { entered: 0, emitted_inputs: 0, emitted_records: 0, dropped: {}, failed: {} };
const file: StageFile = {
  stage: 'judge',
  version: 2,
  config_hash: 'now',
  settings: wanted.settings,
  complete: true,
  ...counts,
};
const done: StageState = { stage: 'convert', kind: 'done' };
const describeWith = (changed: Partial<StageFile>, before: StageState = done) =>
  describeStageState(stageState(wanted, { file: { ...file, ...changed }, isDone: true, before }));

describe('a stage', () => {
  test('is stale for its version, its settings or what goes in, and says which', () => {
    expect(describeWith({})).toBe('done');
    expect(describeWith({ config_hash: 'then', version: 1 })).toBe('stale: version 1, now 2');
    expect(describeWith({ config_hash: 'then', settings: { judge: { min_f1: 0.5 } } })).toBe(
      'stale: other settings (judge.min_f1)',
    );
    expect(describeWith({ config_hash: 'then' })).toBe('stale: input changed');
    expect(describeWith({ stale: 'inputs', complete: false })).toBe('stale: input changed');
    expect(describeWith({ stale: 'asked', complete: false })).toBe('stale: asked for with --from');
    expect(describeWith({}, { stage: 'convert', kind: 'unbegun' })).toBe('stale: input changed');
  });

  test('that comes out the same each time leaves later stages as they are', () => {
    const stale = (stage: 'dedup' | 'judge', kind: 'inputs' | 'asked'): StageState => {
      return { stage, kind: 'stale', reasons: [{ kind }] };
    };
    expect(outdatesLater(stale('dedup', 'inputs'))).toBe(false);
    expect(outdatesLater(stale('dedup', 'asked'))).toBe(true);
    expect(outdatesLater(stale('judge', 'inputs'))).toBe(true);
  });
});

test('going on is a costly surprise for other settings of the teacher, not for more tasks or what was asked for', () => {
  const tasksWith = (keys: string[]): StageState => {
    return { stage: 'tasks', kind: 'stale', reasons: [{ kind: 'settings', keys }] };
  };
  const rollout = (reasons: Extract<StageState, { kind: 'stale' }>['reasons']): StageState => {
    return { stage: 'rollout', kind: 'stale', reasons };
  };
  expect(
    paidRerunReason([tasksWith(['limit', 'tasks.sources.0.file']), rollout([{ kind: 'inputs' }])], true),
  ).toBe(undefined);
  const chosen = tasksWith(['filters.duplicate_questions', 'decontaminate.benchmarks.0.path']);
  expect(paidRerunReason([chosen, rollout([{ kind: 'inputs' }])], true)).toBe(undefined);
  expect(paidRerunReason([rollout([{ kind: 'settings', keys: ['teacher.model'] }])], true)).toMatch(
    /teacher\.model/,
  );
  expect(paidRerunReason([tasksWith(['profiles.0.tools']), rollout([{ kind: 'inputs' }])], true)).toMatch(
    /profiles/,
  );
  expect(paidRerunReason([rollout([{ kind: 'version', was: 1, now: 2 }])], true)).toMatch(/version/);
  expect(paidRerunReason([rollout([{ kind: 'settings', keys: ['seed'] }, { kind: 'asked' }])], true)).toBe(
    undefined,
  );
  expect(paidRerunReason([tasksWith(['seed']), { stage: 'rollout', kind: 'cut_off' }], true)).toBe(undefined);
  const moreTasks = [tasksWith(['limit']), rollout([{ kind: 'inputs' }])];
  expect(paidRerunReason(moreTasks, true)).toBe(undefined);
  expect(paidRerunReason(moreTasks, false)).toMatch(/the cache of its answers is missing/);
});

const task = fc.record({ fate: fc.constantFrom(...fates), turns: fc.nat(3) });
const settings = fc.record({ rollout: fc.constantFrom('a', 'b'), export: fc.constantFrom('a', 'b') });
const session = fc.record({
  tasks: fc.integer({ min: 1, max: 12 }),
  settings,
  stopAfter: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  from: fc.option(fc.constantFrom('tasks' as const, 'rollout' as const, 'export' as const), {
    nil: undefined,
  }),
});

describe('a run whose configuration changes again and again', () => {
  test('ends with what a new run of the last configuration ends with', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(task, { minLength: 12, maxLength: 12 }),
        fc.array(session, { minLength: 1, maxLength: 5 }),
        async (plan, sessions) => {
          const [fresh, changed] = [temporaryFolder(), temporaryFolder()];
          const pipelineOf = (tasks: number, letters: FakeSettings) =>
            fakePipeline(plan.slice(0, tasks), 3, letters);
          for (const { tasks, settings: letters, stopAfter, from } of sessions) {
            if (from) await markStaleFrom(changed, from);
            await runFake(changed, pipelineOf(tasks, letters), stopAfter);
          }
          const last = sessions.at(-1)!;
          await runFake(changed, pipelineOf(last.tasks, last.settings));
          await runFake(fresh, pipelineOf(last.tasks, last.settings));
          expect(orderedContent(changed)).toEqual(orderedContent(fresh));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('asks again only for what depends on the change, and keeps the rest until then', async () => {
    const folder = temporaryFolder();
    const plan = fates.map((fate) => ({ fate, turns: 0 }));
    await runFake(folder, fakePipeline(plan, 2, { rollout: 'a', export: 'a' }));
    const rollout = readFileSync(join(folder, 'rollout/records.jsonl'));
    const exported = readFileSync(join(folder, 'export/records.jsonl'));

    const onlyExport = fakePipeline(plan, 2, { rollout: 'a', export: 'b' });
    await runFake(folder, onlyExport);
    expect(onlyExport.asked).toEqual([]);
    expect(readFileSync(join(folder, 'rollout/records.jsonl'))).toEqual(rollout);
    expect(readFileSync(join(folder, 'export/records.jsonl'))).not.toEqual(exported);

    // Stopped in the rollout: what the export made of the old one stands until it is made again.
    const before = readFileSync(join(folder, 'export/records.jsonl'));
    const changed = fakePipeline(plan, 1, { rollout: 'b', export: 'b' });
    expect(await runFake(folder, changed, 1)).toBe('stopped');
    expect(readFileSync(join(folder, 'export/records.jsonl'))).toEqual(before);
    const states = await readStageStates(folder, changed.stages);
    expect(states.map(describeStageState)).toEqual(['done', 'to resume', 'stale: input changed']);
  });

  test('makes again what was made of a stage that is gone, as the plan says', async () => {
    const folder = temporaryFolder();
    const pipeline = fakePipeline([{ fate: 'emit', turns: 0 }], 1);
    await runFake(folder, pipeline);
    mkdirSync(join(folder, 'dataset'));
    writeFileSync(join(folder, 'dataset/manifest.json'), '{}');
    expect((await readStageStates(folder, pipeline.stages)).every(({ kind }) => kind === 'done')).toBe(true);
    rmSync(join(folder, 'rollout'), { recursive: true });
    const planned = await readStageStates(folder, pipeline.stages);
    expect(planned.map(({ kind }) => kind)).toEqual(['done', 'unbegun', 'stale']);
    await runFake(folder, pipeline);
    const started = readFileSync(join(folder, 'events.jsonl'), 'utf8').match(/stage_started","stage":"\w+/g);
    expect(started?.map((line) => line.replace(/.*"/, ''))).toEqual([
      'tasks',
      'rollout',
      'export',
      'rollout',
      'export',
    ]);
  });

  test('shows what --from would make again before anything is noted', async () => {
    const folder = temporaryFolder();
    const pipeline = fakePipeline([{ fate: 'emit', turns: 0 }], 1);
    await runFake(folder, pipeline);
    const states = await readStageStates(folder, pipeline.stages, { from: 'rollout' });
    expect(states.map(describeStageState)).toEqual([
      'done',
      'stale: asked for with --from',
      'stale: input changed',
    ]);
    writeFileSync(join(folder, 'rollout/stage.json'), 'torn');
    await expect(readStageStates(folder, pipeline.stages)).rejects.toThrow(/stage\.json: .*--from rollout/);
    const remade = await readStageStates(folder, pipeline.stages, { from: 'rollout' });
    expect(remade.map(({ kind }) => kind)).toEqual(['done', 'unbegun', 'stale']);
  });
});
