import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../contract/errors.ts';
import { rewardOf } from '../../rl/records/rewardExpression.ts';
import {
  type RewardPart,
  rewardExpression,
  rewardParts,
  rewardPresets,
  rlRewardsConfigSchema,
} from '../../rl/rewardsConfig.ts';
import { playedSteps } from '../../rl/server/playedSteps.ts';
import { judgedAnswer, measuredParts } from '../../rl/server/scoreTrajectory.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { compareWithGold } from '../../stages/judge/createGoldJudge.ts';
import { expectSource } from '../support/sourcedFigures.ts';
import { rewardSources } from './support/rewardSources.ts';
import { environment, model } from './support/startEnvironment.ts';

type Parts = Readonly<Record<string, number | null>>;

const binary = fc.constantFrom(0, 1);
const share = fc.double({ min: 0, max: 1, noNaN: true });
/** Parts as trajectories have them. */
const anyParts = fc
  .record({
    correctness: binary,
    format: binary,
    repeats: binary,
    code_format: binary,
    overlong: share,
    repetition: share,
    calls: share,
  })
  .map((parts) => ({ ...parts, broken_format: 1 - parts.format }));

describe('each reward of AFM’s code and of its paper is a preset, with its source', () => {
  test.each(Object.entries(rewardSources))('%s', (preset, { sources, formula }) => {
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expectSource(source, preset);
    const reward = rewardExpression(rlRewardsConfigSchema.parse({ preset }));
    fc.assert(
      fc.property(anyParts, (parts) => {
        expect(rewardOf(reward, parts)).toBeCloseTo(formula(parts), 12);
      }),
    );
  });

  test('none is left out', () => {
    expect(Object.keys(rewardSources).toSorted()).toEqual(Object.keys(rewardPresets).toSorted());
  });
});

/** What a configuration meant while parts could only be added. */
function weighedBefore(preset: Partial<Record<string, number>>, weights: Parts, own: Parts, parts: Parts) {
  let sum = 0;
  for (const [name, weight] of Object.entries({ ...preset, ...weights, ...own })) {
    if (weight === 0) continue;
    const part = parts[name] ?? null;
    if (part === null) return null;
    sum += weight! * part;
  }
  return sum;
}

test('a configuration of weights keeps its meaning, to the last bit', () => {
  const presets = {
    afm: { correctness: 1 },
    afm_format: { correctness: 0.9, format: 0.1 },
    afm_penalties: { correctness: 0.9, format: 0.1, broken_format: -1, repetition: -0.5, overlong: -1 },
  };
  const weight = fc.oneof(fc.constantFrom(0, 1, -1), fc.double({ noNaN: true, min: -3, max: 3 }));
  const value = fc.oneof(fc.constant(null), share);
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(presets) as (keyof typeof presets)[])),
      fc.dictionary(fc.constantFrom(...rewardParts), weight),
      fc.dictionary(fc.constantFrom('own', 'other'), weight),
      fc.dictionary(fc.constantFrom(...rewardParts, 'own', 'other'), value),
      (preset, weights, own, parts) => {
        const custom = Object.fromEntries(
          Object.entries(own).map(([name, factor]) => [name, { module: 'x.ts', weight: factor }]),
        );
        const config = rlRewardsConfigSchema.parse({ preset, weights, custom });
        const before = weighedBefore(presets[preset], weights, own, parts);
        expect(rewardOf(rewardExpression(config), parts)).toBe(before);
      },
    ),
  );
});

test.each<[unknown, Parts, number | null]>([
  [0.5, {}, 0.5],
  ['format', { format: 1 }, 1],
  ['format', {}, null],
  [{ product: ['correctness', 'format'] }, { correctness: 1, format: 0 }, 0],
  [{ product: ['correctness', 'format'] }, { correctness: null, format: 1 }, null],
  [{ gate: 'format', open: 'correctness', closed: -1 }, { format: 0, correctness: null }, -1],
  [{ gate: 'format', open: 'correctness', closed: -1 }, { format: 1, correctness: null }, null],
  [{ sum: [{ product: [0.5, 'own'] }, { gate: 'calls', open: 1, closed: 0 }] }, { own: 1, calls: 0.1 }, 1.5],
])('%j of %j is %s', (reward, parts, value) => {
  const config = rlRewardsConfigSchema.parse({ reward, custom: { own: { module: 'x.ts', weight: 0 } } });
  expect(rewardOf(rewardExpression(config), parts)).toBe(value);
});

test('a part of one’s own with a weight is added to whatever the reward is', () => {
  const custom = { own: { module: 'x.ts', weight: 0.25 } };
  const config = rlRewardsConfigSchema.parse({ preset: 'afm_code_paper', custom });
  expect(rewardOf(rewardExpression(config), { correctness: 1, code_format: 1, own: 1 })).toBe(1.25);
});

test.each([
  [{ reward: { product: ['correctness', 'formt'] } }, 'reward'],
  [{ reward: { sum: [] } }, 'reward.sum'],
  [{ reward: { sum: ['format'], product: ['format'] } }, 'reward'],
  [{ reward: { gate: 'format', open: 1 } }, 'reward'],
  [{ reward: { min: ['format'] } }, 'reward'],
  [{ reward: { product: 'calls' } }, 'reward.product'],
  [{ reward: { gate: 'format', open: { product: [] }, closed: {} } }, 'reward.open.product'],
  [{ preset: 'afm_code_paper', weights: { overlong: -1 } }, 'weights'],
  [{ reward: 'format', weights: { overlong: -1 } }, 'weights'],
  [{ custom: { own: { module: 'x.ts' } } }, 'custom.own.weight'],
  [{ custom: null }, 'custom'],
  [{ custom: { own: null }, reward: null }, 'custom.own'],
  [{ weights: null, preset: 'afm_code_paper' }, 'weights'],
])('%j is refused at %s', (config, path) => {
  const { error } = rlRewardsConfigSchema.safeParse(config);
  const at = error?.issues.flatMap((issue) =>
    'errors' in issue ? issue.errors.flat().map((one) => [...issue.path, ...one.path]) : [issue.path],
  );
  expect(at?.map((one) => one.join('.'))).toContain(path);
});

describe('what is measured', () => {
  const code = (text: string) => model(`<code>${text}</code>`);
  const fenced = (text: string) => `\n\`\`\`py\n${text}\n\`\`\`\n`;
  const result = environment('\n<observation>\nx\n</observation>\n\n');
  const search = (query: string) => model(`<web_search>${query}</web_search>`);
  const think = model('<think>So.</think>\n');
  const answer = model('<answer>\nA\n</answer>');
  type Segments = Parameters<typeof measuredParts>[1]['segments'];
  const partOf = (
    name: Exclude<RewardPart, 'correctness'>,
    profileName: 'code' | 'web',
    segments: Segments,
  ) => {
    const profile = builtinProfile(profileName)!;
    const told = { segments, response_tokens: 1, max_response_tokens: 10 };
    return measuredParts(profile, told, playedSteps(profile, segments), 8)[name];
  };

  test.each<[Segments, number]>([
    [[answer], 1],
    [[code(fenced('print(1)')), result, answer], 1],
    [[code(`${fenced('input()').slice(0, -1)}\n\`\`\`sh\n1\n\`\`\`\n`), result, answer], 1],
    [[code('print(1)'), result, answer], 0],
    [[code(' print(1) '), result, code(fenced('print(1)')), result, answer], 0],
    [[code(`${fenced('print(1)')}and so on`), result, answer], 0],
    [[code(`${fenced('print(1)').slice(0, -1)}${fenced('print(2)')}`), result, answer], 0],
  ])('%j has the form of code: %i', (segments, value) => {
    expect(partOf('code_format', 'code', segments)).toBe(value);
  });

  test.each<[Segments, number]>([
    [[search('a'), result, search('b'), result, answer], 0],
    [[search('a'), result, search(' a '), result, answer], 1],
    [[think, search('a'), result, think, search('b'), result, answer], 1],
    [
      [
        search('a'),
        result,
        model('<suggested_answer>A</suggested_answer><suggested_answer>A</suggested_answer>'),
        answer,
      ],
      0,
    ],
    // What tools say twice is not the model's doing.
    [[search('a'), environment('\n<observation>\na\n</observation>\n\n'), answer], 0],
  ])('%j repeats itself: %i', (segments, value) => {
    expect(partOf('repeats', 'web', segments)).toBe(value);
  });
});

describe('402 rollouts through AFM’s own reward functions and ours', () => {
  interface Rollout {
    readonly kind: 'em' | 'code_format' | 'repeats' | 'overlong';
    readonly afm: number;
    readonly answer: string;
    readonly golds: readonly string[];
    readonly body: string;
    readonly steps: readonly (readonly [thought: string, tag: string, query: string])[];
    readonly tokens: number;
    readonly max: number;
  }
  // Scores of mhqa_train.py, format_reward.py, utils.py and length_penalty.py of AFM's verl, run as they are.
  const rollouts = readFileSync(new URL('../fixtures/afmRewards.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line): Rollout => JSON.parse(line));

  const result = environment('\n<observation>\nx\n</observation>\n\n');
  const answered = model('<answer>A</answer>');
  const partsOf = (profileName: 'code' | 'web', texts: readonly string[], tokens = 0, most = 1) => {
    const profile = builtinProfile(profileName)!;
    const segments = [...texts.flatMap((text) => [model(text), result]), answered];
    const told = { segments, response_tokens: tokens, max_response_tokens: most };
    return measuredParts(profile, told, playedSteps(profile, segments), 8);
  };
  const exactMatch = ({ answer, golds }: Rollout) => {
    try {
      const said = judgedAnswer('qa', answer);
      if (said === '') return 0;
      const config = { min_f1: 1, number_tolerance: 1e-9 };
      return compareWithGold(said, { domain: 'qa', answers: golds }, config).correct ? 1 : 0;
    } catch (error) {
      if (error instanceof RecordFailure) return 0;
      throw error;
    }
  };
  const ours: Readonly<Record<Rollout['kind'], (rollout: Rollout) => number>> = {
    em: exactMatch,
    code_format: ({ body }) => partsOf('code', [`<think>So.</think>\n<code>${body}</code>`]).code_format,
    repeats: ({ steps }) =>
      partsOf(
        'web',
        steps.map(([thought, tag, query]) => `<think>${thought}</think>\n<${tag}>${query}</${tag}>`),
      ).repeats,
    overlong: ({ tokens, max }) => partsOf('web', [], tokens, max).overlong,
  };

  const differentOf = (kind: Rollout['kind'], count: number) => {
    const own = rollouts.filter((rollout) => rollout.kind === kind);
    expect(own).toHaveLength(count);
    return own.filter((rollout) => Math.abs(ours[kind](rollout) - rollout.afm) > 1e-6);
  };

  test.each([
    ['code_format', 42],
    ['repeats', 60],
    ['overlong', 88],
  ] as const)('%s is the same', (kind, count) => {
    expect(differentOf(kind, count)).toEqual([]);
  });

  test('exact match is the same but for the forms that docs/agentic-rl.md names', () => {
    const different = differentOf('em', 212).filter(({ answer }) => !answer.startsWith('the answer is '));
    expect(different.map(({ answer, golds, afm }) => [answer, golds[0], afm])).toEqual([
      ['1985-03-12', '12 March 1985', 0],
      ['5 km', '5000 m', 0],
      ['-5', '5', 1],
      ['C++', 'C', 1],
      ['vitamin A', 'vitamin', 1],
      ['twelve', '12', 0],
      ['1.5', '15', 1],
      ['\\text{Paris}', 'Paris', 0],
    ]);
  });
});
