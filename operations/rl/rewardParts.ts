import { canonicalJson } from '../../base/ids.ts';
import { foldToolInput } from '../../schemas/coa/bodies.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import { type RewardPart, type RlRewardsConfig, rewardPresets } from '../../schemas/config/rlRewards.ts';
import type { RlScoreRequest } from '../../schemas/rl/score.ts';
import { keepsGrammar, type PlayedRlStep } from './playedSteps.ts';

/** Parts of a reward that need no judge. */
export type MeasuredParts = Readonly<Record<Exclude<RewardPart, 'correctness'>, number>>;

/** Measures what the model did, its answer's rightness apart; see `rewardParts`. */
export function measuredParts(
  profile: Profile,
  { segments, response_tokens, max_response_tokens }: Omit<RlScoreRequest, 'task_id' | 'end_reason'>,
  steps: readonly PlayedRlStep[],
  maxToolCalls: number,
): MeasuredParts {
  const format = keepsGrammar(profile, segments, steps) ? 1 : 0;
  return {
    format,
    broken_format: 1 - format,
    overlong: overlong(response_tokens, max_response_tokens),
    repetition: repetition(steps.map(({ text }) => text).join('\n')),
    calls: Math.min(1, differentCalls(profile, steps) / maxToolCalls),
  };
}

/** DAPO's soft punishment of length (arXiv 2503.14476, equation 13), as AFM's code has it: the last eighth. */
function overlong(tokens: number, most: number): number {
  const free = (most * 7) / 8;
  return Math.min(1, Math.max(0, (tokens - free) / (most - free)));
}

/** Words of a run that is looked for again; a power of two. */
const RUN_WORDS = 16;

/** Runs are numbered by their halves, so that no text of 16 words is ever made: equal runs have equal numbers. */
function repetition(text: string): number {
  const words = text.split(/\s+/).filter((word) => word !== '');
  let runs = numbered(words);
  for (let length = 1; length < RUN_WORDS && runs.length > length; length *= 2) {
    const [firsts, halves] = [runs.slice(0, -length), runs];
    runs = numbered(firsts.map((first, at) => first * words.length + halves[at + length]!));
  }
  return words.length < RUN_WORDS ? 0 : 1 - new Set(runs).size / runs.length;
}

/** Each key's number, from 0, in the order in which keys come first. */
function numbered(keys: readonly (string | number)[]): number[] {
  const numbers = new Map<string | number, number>();
  return keys.map((key) => {
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  });
}

function differentCalls(profile: Profile, steps: readonly PlayedRlStep[]): number {
  const calls = steps.flatMap(({ end }) =>
    end?.kind === 'tool'
      ? [canonicalJson([end.tag, foldToolInput(tagRule(profile, end.tag)!.body, end.body)])]
      : [],
  );
  return new Set(calls).size;
}

/** The weights of a configuration by part, parts of the user's own included; no part of weight 0. */
export function rewardWeights({ preset, weights, custom }: RlRewardsConfig): Record<string, number> {
  const own = Object.entries(custom).map(([name, { weight }]) => [name, weight] as const);
  const all = { ...rewardPresets[preset], ...weights, ...Object.fromEntries(own) };
  return Object.fromEntries(Object.entries(all).filter(([, weight]) => weight !== 0));
}

/** The weighted sum of the parts; null where a part that counts is not known. */
export function rewardOf(
  parts: Readonly<Record<string, number | null>>,
  weights: Readonly<Record<string, number>>,
): number | null {
  let sum = 0;
  for (const [name, weight] of Object.entries(weights)) {
    const part = parts[name] ?? null;
    if (part === null) return null;
    sum += weight * part;
  }
  return sum;
}
