import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sealedFile, sealedLine } from '../../base/journal/sealed.ts';
import { retryFailed } from '../../pipeline/run/retryFailed.ts';
import { readStageFile, stagePaths } from '../../pipeline/run/stageFiles.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { type ChainPlan, chained, type FakeWork, fakeChain } from './support/fakeStages.ts';
import { orderedContent, readJsonLines, runFake } from './support/runFake.ts';

const step = fc.record({
  fate: fc.oneof(
    { weight: 5, arbitrary: fc.constant('emit' as const) },
    { weight: 1, arbitrary: fc.constantFrom('emit_none' as const, 'drop' as const, 'fail' as const) },
  ),
  turns: fc.nat(5),
});
const planArbitrary: fc.Arbitrary<ChainPlan> = fc.record({
  rollout: step,
  convert: step,
  judge: step,
  filter: step,
});
const allStages = ['tasks', ...chained, 'export'];
const contentOf = (folder: string) => orderedContent(folder, allStages);
const emits = (turns: number) => ({ fate: 'emit' as const, turns });
const straight: ChainPlan = { rollout: emits(0), convert: emits(0), judge: emits(0), filter: emits(0) };

test('stopped anywhere and resumed, with any concurrency, stages in a chain end with what an undisturbed run has', async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(planArbitrary, { minLength: 4, maxLength: 14 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 2 }),
      fc.constantFrom(1, 16, 64),
      async (plan, stops, concurrency) => {
        const [whole, cut] = [join(folder, `${run}-whole`), join(folder, `${run++}-cut`)];
        for (const path of [whole, cut]) mkdirSync(path);
        await runFake(whole, fakeChain(plan, 1));
        for (const stopAfter of [...stops, undefined]) {
          const kept = new Map(chained.map((stage) => [stage, finishedTasks(cut, stage)]));
          const chain = fakeChain(plan, concurrency);
          await runFake(cut, chain, stopAfter);
          for (const stage of chained)
            expect(chain.asked[stage].filter((id) => kept.get(stage)?.has(taskOf(id)))).toEqual([]);
        }
        expect(contentOf(cut)).toEqual(contentOf(whole));
      },
    ),
    { numRuns: 6 },
  );
});

test('a record goes on while others are still at the stage before, and only once it is on disk', async () => {
  const folder = temporaryFolder();
  const filtered = Promise.withResolvers<void>();
  const before = { rollout: 'tasks', convert: 'rollout', judge: 'convert', filter: 'judge' } as const;
  const seen: FakeWork['seen'] = async (stage, { id, task_id }) => {
    if (stage === 'filter' && task_id === 't2') filtered.resolve();
    if (stage === 'rollout' && task_id === 't0') await filtered.promise;
    const upstream = stagePaths(folder, before[stage as 'filter']).records;
    expect(readFileSync(upstream, 'utf8')).toContain(`"id":"${id}"`);
  };
  expect(await runFake(folder, fakeChain([straight, straight, straight], 3, { seen }))).toBe('finished');
});

test('a failure that is retried leaves what later stages made of the others', async () => {
  const folder = temporaryFolder();
  const failing: ChainPlan = { ...straight, rollout: { fate: 'fail', turns: 0 } };
  await runFake(folder, fakeChain([straight, failing, straight], 2));
  expect(await retryFailed(folder, { kind: 'failed' })).toEqual({ stage: 'rollout', inputs: 1 });
  const again = fakeChain([straight, straight, straight], 2);
  await runFake(folder, again);
  expect(again.asked).toEqual({
    rollout: ['t1#1'],
    convert: ['t1.0'],
    judge: ['t1.0.0'],
    filter: ['t1.0.0.0'],
  });
  const rows = readJsonLines(join(folder, 'export/records.jsonl'));
  expect(rows.map(({ task_id }) => task_id)).toEqual(['t0', 't1', 't2']);
  expect(await readStageFile(folder, 'filter')).toMatchObject({
    complete: true,
    entered: 3,
    emitted_inputs: 3,
  });
});

test('a stage that numbered its inputs by what was emitted is resumed so, and stale once the stage before grows', async () => {
  const folder = temporaryFolder();
  const dropped: ChainPlan = { ...straight, rollout: { fate: 'drop', turns: 0 } };
  const failing: ChainPlan = { ...straight, rollout: { fate: 'fail', turns: 0 } };
  const plan = [dropped, straight, failing, straight, straight];
  await runFake(folder, fakeChain(plan, 1));
  const whole = contentOf(folder);
  for (const stage of chained) await asEarlierVersion(folder, stage);
  const untouched = fakeChain(plan, 1);
  expect(await runFake(folder, untouched)).toBe('finished');
  expect(Object.values(untouched.asked).flat()).toEqual([]);

  cutOff(folder, 'convert', 2);
  for (const stage of ['judge', 'filter']) rmSync(join(folder, stage), { recursive: true });
  const resumed = fakeChain(plan, 1);
  await runFake(folder, resumed);
  expect(resumed.asked).toMatchObject({
    rollout: [],
    convert: ['t4.0'],
    judge: ['t1.0.0', 't3.0.0', 't4.0.0'],
  });
  expect(readJsonLines(join(folder, 'export/records.jsonl'))).toEqual(whole['export/records.jsonl']);

  await retryFailed(folder, { kind: 'failed' });
  const grown = fakeChain(plan, 1);
  await runFake(folder, grown);
  expect(grown.asked).toMatchObject({ rollout: ['t2#1'], convert: ['t1.0', 't3.0', 't4.0'] });
  expect(contentOf(folder)['filter/records.jsonl']).toEqual(whole['filter/records.jsonl']);
});

test('an error of one stage stops all of them, and what has not ended is pending', async () => {
  const folder = temporaryFolder();
  const plan = Array.from({ length: 20 }, () => straight);
  const chain = fakeChain(plan, 2);
  const broken = chain.stages.map((stage) => {
    if (stage.opened?.kind !== 'record' || stage.stage !== 'judge') return stage;
    const opened = { ...stage.opened, stage: { ...stage.opened.stage, output: null, run: emitTwice } };
    return { ...stage, opened } as unknown as typeof stage;
  });
  await expect(runFake(folder, { stages: broken })).rejects.toThrow(
    /judge emitted 2 records of .*; expected at most 1/,
  );
  expect((await readStageFile(folder, 'filter'))?.complete).toBe(false);
  expect((await readStageFile(folder, 'judge'))?.complete).toBe(false);
});

async function emitTwice(record: object) {
  return { kind: 'emit', records: [record, record] };
}

function taskOf(id: string): string {
  return id.split(/[.#]/)[0]!;
}

function finishedTasks(folder: string, stage: string): Set<string> {
  const { records, ledger } = stagePaths(folder, stage);
  const whole = (path: string) => readJsonLines(path).map(({ task_id }) => String(task_id));
  return new Set([...whole(records), ...whole(ledger)]);
}

/** Rewrites a stage's files as versions wrote them whose inputs were the records that the stage before had emitted. */
async function asEarlierVersion(folder: string, stage: (typeof chained)[number]): Promise<void> {
  const { records, ledger, stageFile } = stagePaths(folder, stage);
  const lines = [records, ledger].map((path) => ({ path, lines: readJsonLines(path) }));
  const indexes = lines.flatMap((file) => file.lines.map(({ index }) => Number(index))).sort((a, b) => a - b);
  for (const { path, lines: written } of lines) {
    const dense = written.map(({ checksum: _, ...line }) => ({
      ...line,
      index: indexes.indexOf(Number(line.index)),
    }));
    writeFileSync(path, dense.map((line) => `${sealedLine(line)}\n`).join(''));
  }
  const { index_of: _, ...file } = (await readStageFile(folder, stage))!;
  writeFileSync(stageFile, sealedFile(file));
}

/** Leaves the first lines of a stage's records, as if it had been killed then. */
function cutOff(folder: string, stage: string, lines: number): void {
  const { records, stageFile } = stagePaths(folder, stage);
  const kept = readFileSync(records, 'utf8').split('\n').slice(0, lines);
  writeFileSync(records, kept.map((line) => `${line}\n`).join(''));
  const { checksum: _, ...file } = JSON.parse(readFileSync(stageFile, 'utf8'));
  writeFileSync(stageFile, sealedFile({ ...file, complete: false }));
}
