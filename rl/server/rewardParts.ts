import { canonicalJson } from '../../base/ids.ts';
import { foldToolInput, isFencedProgram } from '../../schemas/coa/bodies.ts';
import { type BodyRule, type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { RlScoreRequest } from '../../schemas/rl/score.ts';
import type { RewardPart } from '../rewardPresets.ts';
import { keepsGrammar, type PlayedRlStep } from './playedSteps.ts';

/** Parts of a reward that need no judge. */
type MeasuredParts = Readonly<Record<Exclude<RewardPart, 'correctness'>, number>>;

/** Measures what the model did, its answer's rightness apart; see `rewardParts`. */
export function measuredParts(
  profile: Profile,
  { segments, response_tokens, max_response_tokens }: Omit<RlScoreRequest, 'task_id' | 'end_reason'>,
  steps: readonly PlayedRlStep[],
  maxSteps: number,
): MeasuredParts {
  const format = keepsGrammar(profile, segments, steps) ? 1 : 0;
  return {
    format,
    broken_format: 1 - format,
    overlong: overlong(response_tokens, max_response_tokens),
    repetition: repetition(steps.map(({ text }) => text).join('\n')),
    repeats: repeats(profile, steps) ? 1 : 0,
    code_format: callsOf(profile, steps).every(keepsCodeForm) ? 1 : 0,
    calls: Math.min(1, differentCalls(profile, steps) / maxSteps),
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

/** Blocks of any kind but answers, compared by what stands between their tags. */
function repeats(profile: Profile, steps: readonly PlayedRlStep[]): boolean {
  const bodies = steps
    .flatMap(({ blocks }) => blocks)
    .filter(({ tag }) => !['answer', 'suggested_answer'].includes(tagRule(profile, tag)!.kind))
    .flatMap(({ body }) => body.trim() || []);
  return new Set(bodies).size < bodies.length;
}

/** A call of a tool, with what its body should hold. */
interface Call {
  readonly tag: string;
  readonly rule: BodyRule;
  readonly body: string;
}

function callsOf(profile: Profile, steps: readonly PlayedRlStep[]): Call[] {
  return steps.flatMap(({ end }) =>
    end?.kind === 'tool' ? [{ tag: end.tag, rule: tagRule(profile, end.tag)!.body, body: end.body }] : [],
  );
}

function keepsCodeForm({ rule, body }: Call): boolean {
  return rule !== 'code' || isFencedProgram(body);
}

function differentCalls(profile: Profile, steps: readonly PlayedRlStep[]): number {
  const calls = callsOf(profile, steps).map(({ tag, rule, body }) =>
    canonicalJson([tag, foldToolInput(rule, body)]),
  );
  return new Set(calls).size;
}
