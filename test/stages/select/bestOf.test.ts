import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestOfConfigSchema } from '../../../schemas/config/config.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { createBestOfStage, sketchLikeness, wordSketch } from '../../../stages/createBestOfStage.ts';
import { runCorpusStage } from '../../support/runStage.ts';
import { mhqaSteps, taskOf, trajectoryFrom } from '../../support/traceFixture.ts';

const base = trajectoryFrom(taskOf('mhqa'), mhqaSteps(['a', 'b', 'c'], 'she'));

function made(id: string, task: string, words: string, isRight = true): Trajectory {
  const score = isRight ? 1 : 0.5;
  const verdict = { subject: 'answer', judge: 'fixture', judgement: 'correct', score, evidence: {} } as const;
  return {
    ...base,
    id,
    task_id: task,
    segments: [{ tag: 'answer', origin: 'model', text: words, event: 'e' }],
    quality: { ...base.quality, verdicts: [verdict] },
  };
}

const trajectories = fc
  .array(fc.tuple(fc.constantFrom('t1', 't2', 't3'), fc.lorem({ maxCount: 12 }), fc.boolean()), {
    maxLength: 14,
  })
  .map((list) => list.map(([task, words, right], n) => made(`trajectory_${n}`, task, words, right)));
const settings = fc.record({
  per_task: fc.integer({ min: 1, max: 3 }),
  by: fc.constantFrom('shortest' as const, 'most_diverse' as const),
});

async function kept(list: readonly Trajectory[], options: object): Promise<string[]> {
  const outcomes = await runCorpusStage(createBestOfStage(bestOfConfigSchema.parse(options)), list);
  expect(outcomes.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([...list.keys()]);
  return outcomes.flatMap(({ outcome }) =>
    outcome.kind === 'emit' ? outcome.records.map(({ id }) => id) : [],
  );
}

test('at most so many of a task stay, no task is lost, and the order does not matter', async () => {
  await fc.assert(
    fc.asyncProperty(
      trajectories.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      ),
      settings,
      async ([list, shuffled], options) => {
        const ids = await kept(list, options);
        expect((await kept(shuffled, options)).toSorted()).toEqual(ids.toSorted());
        const byTask = Map.groupBy(list, ({ task_id }) => task_id);
        for (const ofTask of byTask.values()) {
          const stayed = ofTask.filter(({ id }) => ids.includes(id));
          expect(stayed).toHaveLength(Math.min(options.per_task, ofTask.length));
        }
      },
    ),
  );
});

test('the highest score comes first, then the shortest, then the least id', async () => {
  const list = [
    made('c', 't', 'much longer words', true),
    made('b', 't', 'words', true),
    made('a', 't', 'x', false),
    made('d', 't', 'words', true),
  ];
  expect(await kept(list, {})).toEqual(['b']);
  expect(await kept(list, { per_task: 2 })).toEqual(['b', 'd']);
});

test('diversity takes what has least in common with what was chosen', async () => {
  const words = (from: number) => Array.from({ length: 30 }, (_, n) => `w${from + n}`).join(' ');
  const list = [made('a', 't', words(0)), made('b', 't', words(3)), made('c', 't', words(500))];
  expect(await kept(list, { per_task: 2, by: 'most_diverse' })).toEqual(['a', 'c']);
  expect(await kept(list, { per_task: 2 })).toEqual(['a', 'b']);
});

test('a drop says what it lost to', async () => {
  const [, second] = await runCorpusStage(createBestOfStage(bestOfConfigSchema.parse({})), [
    made('a', 't', 'x'),
    made('b', 't', 'xyz'),
  ]);
  expect(second!.outcome).toMatchObject({
    kind: 'drop',
    reason: 'not_best_of_task',
    evidence: { candidates: 2, chosen: ['a'], chars: 3 },
  });
});

test('sketches tell the share of common shingles', () => {
  const words = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => `word${from + n}`).join(' ');
  expect(sketchLikeness(wordSketch(words(0, 500)), wordSketch(words(0, 500)))).toBe(1);
  expect(sketchLikeness(wordSketch(words(0, 500)), wordSketch(words(1000, 1500)))).toBeLessThan(0.05);
  // 350 of 650 shingles are common.
  expect(sketchLikeness(wordSketch(words(0, 500)), wordSketch(words(150, 650)))).toBeCloseTo(0.54, 0);
});
