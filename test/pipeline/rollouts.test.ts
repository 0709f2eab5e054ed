import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { retryFailed } from '../../pipeline/run/retryFailed.ts';
import { refuseWithoutJudge } from '../../pipeline/run/rolloutOutcomes.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { mostRollouts, type RolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { type ChainPlan, chained, fakeChain } from './support/fakeStages.ts';
import { orderedContent, readJsonLines, runFake } from './support/runFake.ts';

const contentOf = (folder: string) => orderedContent(folder, ['tasks', ...chained, 'export']);
const step = (ends: readonly ('drop' | 'fail')[]) =>
  fc.record({
    fate: fc.oneof(
      { weight: 5, arbitrary: fc.constant('emit' as const) },
      { weight: 1, arbitrary: fc.constantFrom('emit' as const, ...ends) },
    ),
    turns: fc.nat(6),
  });
const rolloutArbitrary: fc.Arbitrary<ChainPlan> = fc.record({
  rollout: step(['fail']),
  convert: step(['fail']),
  judge: fc.tuple(step(['fail']), fc.boolean()).map(([judged, correct]) => ({ ...judged, correct })),
  filter: step(['drop']),
});
const casesArbitrary = fc
  .record({
    max: fc.integer({ min: 2, max: 4 }),
    min: fc.nat(3),
    correct: fc.nat(3),
    second: fc.boolean(),
    tasks: fc.integer({ min: 1, max: 5 }),
  })
  .chain(({ max, min, correct, second, tasks }) => {
    const until =
      correct < 3 || !second ? { min: 1 + (min % max), correct: 1 + (correct % max) } : { min: max };
    const rollouts: RolloutPlan = { max, ...until, ...(second && { secondTries: true }) };
    const length = tasks * mostRollouts(rollouts);
    return fc.record({
      rollouts: fc.constant(rollouts),
      plan: fc.array(rolloutArbitrary, { minLength: length, maxLength: length }),
    });
  });

/**
 * The ids of the rollouts that are needed: of each task the shortest beginning with enough that are correct or may be,
 * and the second tries of those that are wrong.
 */
function needed(plan: readonly ChainPlan[], rollouts: RolloutPlan): string[] {
  const { min, max, correct = max, secondTries } = rollouts;
  const most = mostRollouts(rollouts);
  const endOf = ({ rollout, convert, judge }: ChainPlan) => {
    if ([rollout, convert].some(({ fate }) => fate !== 'emit')) return 'failed';
    if (judge.fate !== 'emit') return 'unscored';
    return judge.correct ? 'correct' : 'wrong';
  };
  const ids: string[] = [];
  for (let task = 0; task < plan.length / most; task++) {
    let found = 0;
    for (let rollout = 0; rollout < max && (rollout < min || found < correct); rollout++) {
      ids.push(rollout === 0 ? `t${task}` : `t${task}r${rollout}`);
      const end = endOf(plan[task * most + rollout]!);
      if (end === 'correct' || end === 'unscored') found++;
      if (end === 'wrong' && secondTries) ids.push(`t${task}r${max + rollout}`);
    }
  }
  return ids.sort();
}

test('rollouts begin until enough are correct and none after, in whatever order they end and wherever they are stopped', async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      casesArbitrary,
      fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 2 }),
      fc.constantFrom(1, 16, 64),
      async ({ rollouts, plan }, stops, concurrency) => {
        const [whole, cut] = [join(folder, `${run}-whole`), join(folder, `${run++}-cut`)];
        for (const path of [whole, cut]) mkdirSync(path);
        const once = fakeChain(plan, 1, { rollouts });
        await runFake(whole, once);
        const wanted = needed(plan, rollouts);
        expect(once.asked.rollout.sort()).toEqual(wanted);
        const asked = new Set<string>();
        for (const stopAfter of [...stops, undefined]) {
          const chain = fakeChain(plan, concurrency, { rollouts });
          await runFake(cut, chain, stopAfter);
          for (const id of chain.asked.rollout) asked.add(id);
        }
        expect([...asked].sort()).toEqual(wanted);
        expect(contentOf(cut)).toEqual(contentOf(whole));
        expect((await readStageFile(cut, 'rollout'))?.entered).toBe(wanted.length);
      },
    ),
    { numRuns: 8 },
  );
});

const emits = { fate: 'emit', turns: 0 } as const;
const right: ChainPlan = {
  rollout: emits,
  convert: emits,
  judge: { ...emits, correct: true },
  filter: emits,
};
const failing: ChainPlan = { ...right, rollout: { fate: 'fail', turns: 0 } };

test('each rollout is a record: a failing one leaves its siblings, and is retried alone', async () => {
  const folder = temporaryFolder();
  const rollouts = { min: 3, max: 3 };
  const plan = [right, failing, right, right, failing, right];
  await runFake(folder, fakeChain(plan, 4, { rollouts }));
  const ledger = readJsonLines(join(folder, 'rollout/ledger.jsonl'));
  expect(ledger.map(({ task_id, rollout, index }) => [task_id, rollout, index])).toEqual([
    ['t0', 1, 1],
    ['t1', 1, 4],
  ]);
  const rows = () => readJsonLines(join(folder, 'filter/records.jsonl')).map(({ index }) => index);
  expect(rows().sort()).toEqual([0, 2, 3, 5]);
  expect(await retryFailed(folder, { kind: 'task', taskId: 't1', rollout: 1 })).toMatchObject({ inputs: 1 });
  const again = fakeChain(plan.with(4, right), 4, { rollouts });
  await runFake(folder, again);
  expect(again.asked.rollout).toEqual(['t1r1#1']);
  expect(again.asked.filter).toEqual(['t1r1.0.0.0']);
  expect(rows().sort()).toEqual([0, 2, 3, 4, 5]);
  expect(await readStageFile(folder, 'rollout')).toMatchObject({ entered: 6, emitted_inputs: 5 });
});

test('an error where rollouts wait for their judge ends the run, and so does a disk that fails', async () => {
  const rollouts = { min: 1, max: 2, correct: 1 };
  const seen = (stage: string) => {
    if (stage === 'judge') throw new UserError('no sandbox');
  };
  await expect(runFake(temporaryFolder(), fakeChain([right, right], 2, { rollouts, seen }))).rejects.toThrow(
    'no sandbox',
  );

  const handle = await open('/dev/null');
  await handle.close();
  const syncs = Object.getPrototypeOf(handle) as typeof handle;
  for (const full of ['rollout', 'judge']) {
    const fillDisk = (stage: string) => {
      if (stage !== full) return;
      vi.spyOn(syncs, 'datasync').mockRejectedValue(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    };
    const run = runFake(temporaryFolder(), fakeChain([right, right], 2, { rollouts, seen: fillDisk }));
    await expect(run.finally(() => vi.restoreAllMocks())).rejects.toThrow(/disk is full|no space/i);
  }
});

test('what depends on the judge is refused where the run ends between the two', () => {
  const teacher = teacherConfigSchema.parse({ rollouts: { max: 2, until: 'first_correct' } });
  for (const until of ['rollout', 'convert'] as const)
    expect(() => refuseWithoutJudge({ teacher }, until)).toThrow(
      `--until ${until}: teacher.rollouts.until asks`,
    );
  for (const until of ['dedup', 'judge', 'export', undefined] as const)
    expect(() => refuseWithoutJudge({ teacher }, until)).not.toThrow();
  expect(() => refuseWithoutJudge({ teacher: teacherConfigSchema.parse({}) }, 'rollout')).not.toThrow();
});
