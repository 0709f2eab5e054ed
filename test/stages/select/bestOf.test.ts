import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { bestOfConfigSchema, selectConfigSchema } from '../../../schemas/config/select.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { sketchLikeness, wordSketch } from '../../../stages/select/candidate.ts';
import { createBestOfStage, createPassRateStage } from '../../../stages/select/createBestOfStage.ts';
import { runCorpusStage } from '../../support/runStage.ts';
import { shuffledPairs } from '../../support/shuffledPairs.ts';
import { mhqaSteps, taskOf, trajectoryFrom } from '../../support/traceFixture.ts';

const base = trajectoryFrom(taskOf('mhqa'), mhqaSteps(['a', 'b', 'c'], 'she'));

function made(id: string, task: string, words: string, isRight = true): Trajectory {
  const score = isRight ? 1 : 0.5;
  const verdict = { subject: 'answer', judge: 'fixture', judgement: 'correct', score, evidence: {} } as const;
  return {
    ...base,
    id,
    task_id: task,
    rollout: 1,
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
  by: fc.constantFrom('shortest', 'most_diverse', ['score', 'most_diverse'], ['most_diverse', 'shortest']),
});

async function kept(list: readonly Trajectory[], options: object): Promise<string[]> {
  const outcomes = await runCorpusStage(
    createBestOfStage(bestOfConfigSchema.parse(options), builtinProfile),
    list,
  );
  expect(outcomes.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([...list.keys()]);
  return outcomes.flatMap(({ outcome }) =>
    outcome.kind === 'emit' ? outcome.records.map(({ id }) => id) : [],
  );
}

test('at most so many of a task stay, no task is lost, and the order does not matter', async () => {
  await fc.assert(
    fc.asyncProperty(shuffledPairs(trajectories), settings, async ([list, shuffled], options) => {
      const ids = await kept(list, options);
      expect((await kept(shuffled, options)).toSorted()).toEqual(ids.toSorted());
      const byTask = Map.groupBy(list, ({ task_id }) => task_id);
      for (const ofTask of byTask.values()) {
        const stayed = ofTask.filter(({ id }) => ids.includes(id));
        const texts = new Set(ofTask.map(({ segments }) => segments[0]!.text));
        expect(stayed).toHaveLength(Math.min(options.per_task, texts.size));
      }
    }),
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
  // The text of d is that of b: no room is kept for it.
  expect(await kept(list, { per_task: 2 })).toEqual(['c', 'b']);
  expect(await kept(list, { per_task: 9 })).toEqual(['c', 'b', 'a']);
});

test('diversity takes what has least in common with what was chosen', async () => {
  const words = (from: number) => Array.from({ length: 30 }, (_, n) => `w${from + n}`).join(' ');
  const list = [made('a', 't', words(0)), made('b', 't', words(3)), made('c', 't', words(500))];
  expect(await kept(list, { per_task: 2, by: 'most_diverse' })).toEqual(['a', 'c']);
  expect(await kept(list, { per_task: 2 })).toEqual(['a', 'b']);
});

test('diversity as one of several rules decides between those that the rules before it find equal', async () => {
  const words = (from: number) => Array.from({ length: 30 }, (_, n) => `w${from + n}`).join(' ');
  const list = [
    rollout('a', { words: words(100) }),
    rollout('b', { words: words(103) }),
    rollout('c', { words: `${words(500)} and on` }),
    rollout('d', { words: words(900), right: false }),
  ];
  for (const order of [list, list.toReversed()]) {
    const of = async (by: readonly string[], per_task: number) =>
      (await kept(order, { by, per_task })).toSorted();
    expect(await of(['correct', 'most_diverse'], 2)).toEqual(['a', 'c']);
    // A wrong one comes last, however different it is.
    expect(await of(['correct', 'most_diverse'], 3)).toEqual(['a', 'b', 'c']);
    expect(await of(['most_diverse'], 3)).toEqual(['a', 'c', 'd']);
    // Of the shortest three, the one least like the first.
    expect(await of(['shortest', 'most_diverse'], 2)).toEqual(['a', 'd']);
    // The rules behind it choose the first.
    expect(await of(['most_diverse', 'shortest'], 1)).toEqual(['a']);
  }
});

test('a drop says what it lost to', async () => {
  const [, second] = await runCorpusStage(createBestOfStage(bestOfConfigSchema.parse({}), builtinProfile), [
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

/** Of one task, with a verdict, so many tool calls and a last double check. */
function rollout(id: string, given: { right?: boolean; tools?: number; check?: number; words?: string }) {
  const { right = true, tools = 0, check = 1, words = id } = given;
  const one = made(id, 't', words, right);
  const verdict = { ...one.quality.verdicts[0]!, judgement: right ? 'correct' : 'incorrect' } as const;
  const text = `<double_check>The score this time is:${check}</double_check>\n`;
  return {
    ...one,
    profile: 'mhqa_double_check',
    quality: { ...one.quality, interactions: tools, verdicts: [verdict] },
    segments: [{ tag: 'double_check', origin: 'model', text, event: 'e' } as const, ...one.segments],
  };
}

test.each([
  [
    ['correct', 'fewest_tools'],
    ['c', 'a'],
  ],
  [['fewest_tools'], ['b', 'c']],
  [
    ['correct', 'double_check'],
    ['a', 'c'],
  ],
  [
    ['double_check', 'fewest_tools'],
    ['b', 'a'],
  ],
  [
    ['correct', 'shortest'],
    ['c', 'a'],
  ],
  [['score'], ['c', 'a']],
])('rules decide in their order: %j', async (by, expected) => {
  const list = [
    rollout('a', { tools: 5, check: 4, words: 'some more words' }),
    rollout('b', { tools: 1, check: 4, right: false }),
    rollout('c', { tools: 3, check: 2, words: 'few' }),
  ];
  expect((await kept(list, { by, per_task: 2 })).toSorted()).toEqual(expected.toSorted());
  expect((await kept(list.toReversed(), { by, per_task: 2 })).toSorted()).toEqual(expected.toSorted());
  expect(await kept(list, { by })).toEqual([expected[0]]);
});

test('the fewest tokens are not the fewest characters', async () => {
  const list = [
    made('a', 't', 'one two three'),
    made('b', 't', 'incomprehensibilities'),
    made('c', 't', 'x y z w'),
  ];
  const config = bestOfConfigSchema.parse({ by: ['fewest_tokens'], per_task: 2 });
  const stage = createBestOfStage(config, builtinProfile, undefined, async (text) => text.split(' ').length);
  const outcomes = await runCorpusStage(stage, list);
  expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['emit', 'emit', 'drop']);
});

test('a trajectory in nearly the words of a better one of its task is a duplicate, whatever there is room for', async () => {
  const words = Array.from({ length: 60 }, (_, nth) => `word${nth}`).join(' ');
  const list = [
    rollout('a', { words }),
    rollout('b', { words: `${words} and more` }),
    rollout('c', { words: words.toUpperCase() }),
    rollout('d', { words: words.replaceAll('word', 'other') }),
    made('e', 'another', words),
  ];
  const settings = bestOfConfigSchema.parse({ per_task: 9, max_likeness: 0.8 });
  const outcomes = await runCorpusStage(createBestOfStage(settings, builtinProfile), list);
  const dropped = outcomes.flatMap(({ recordId, outcome }) =>
    outcome.kind === 'drop' ? [[recordId, outcome.reason, outcome.evidence.duplicate_of]] : [],
  );
  expect(dropped).toEqual([
    ['b', 'duplicate_trajectory', 'a'],
    ['c', 'duplicate_trajectory', 'a'],
  ]);
  expect(await kept(list, { per_task: 9 })).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('tasks stay whose rollouts are right neither too seldom nor too often', async () => {
  const list = ['easy', 'hard', 'some', 'unjudged'].map((task) => made(task, task, 'words'));
  const rates = new Map([
    ['easy', 1],
    ['hard', 0],
    ['some', 0.5],
  ]);
  const limits = selectConfigSchema.parse({ pass_rate: { min: 0.1, max: 0.9 } }).pass_rate!;
  const outcomes = await runCorpusStage(
    createPassRateStage(limits, async () => rates),
    list,
  );
  expect(outcomes.map(({ outcome }) => (outcome.kind === 'drop' ? outcome.reason : outcome.kind))).toEqual([
    'too_easy',
    'too_hard',
    'emit',
    'emit',
  ]);
});

test('a judge decides between those that the rules before it find equal, and a tie goes to the rules behind', async () => {
  const list = [
    made('trajectory_0', 't1', 'the long words of a wrong one', false),
    made('trajectory_1', 't1', 'the better of two'),
    made('trajectory_2', 't1', 'short'),
    made('trajectory_3', 't2', 'as good as the next'),
    made('trajectory_4', 't2', 'equal'),
    made('trajectory_5', 't3', 'alone'),
  ];
  const asked: string[][] = [];
  const judge = {
    atOnce: 2,
    show: ({ segments }: Trajectory) => ({ answer: segments[0]!.text, work: '' }),
    prefer: async ({ attempts }: { attempts: readonly { answer: string }[] }) => {
      asked.push(attempts.map(({ answer }) => answer));
      const better = attempts.findIndex(({ answer }) => answer.includes('better'));
      return better < 0 ? undefined : better;
    },
  };
  const config = bestOfConfigSchema.parse({ by: ['score', 'judge', 'shortest'] });
  for (const order of [list, list.toReversed()]) {
    asked.length = 0;
    const outcomes = await runCorpusStage(createBestOfStage(config, builtinProfile, judge), order);
    const ends = new Map(outcomes.map(({ recordId, outcome }) => [recordId, outcome]));
    expect(asked.toSorted()).toEqual([
      ['as good as the next', 'equal'],
      ['the better of two', 'short'],
    ]);
    const stayed = [...ends].filter(([, { kind }]) => kind === 'emit').map(([id]) => id);
    expect(stayed.toSorted()).toEqual(['trajectory_1', 'trajectory_4', 'trajectory_5']);
    expect(ends.get('trajectory_2')).toMatchObject({ evidence: { preferred: 'trajectory_1' } });
    expect(ends.get('trajectory_3')).toMatchObject({ evidence: { preferred: null } });
    expect(ends.get('trajectory_0')).not.toHaveProperty('evidence.preferred');
  }
  judge.prefer = () => Promise.reject(new Error('away'));
  await expect(runCorpusStage(createBestOfStage(config, builtinProfile, judge), list)).rejects.toThrow(
    'away',
  );
});
