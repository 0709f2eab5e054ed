import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type RewardPart,
  rewardExpression,
  rewardParts,
  rewardPresets,
  rlRewardsConfigSchema,
} from '../../rl/rewardsConfig.ts';
import { playedSteps } from '../../rl/server/playedSteps.ts';
import { measuredParts } from '../../rl/server/scoreTrajectory.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { rewardOf } from '../../schemas/rl/rewardExpression.ts';
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
