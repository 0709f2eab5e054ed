import type { JsonObject } from '../../base/json.ts';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { layOutBlocks } from '../../schemas/coa/layout.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { interactionLimit } from '../../schemas/config/filters.ts';
import type { DropReason } from '../../schemas/dropReasons.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import { testCount } from '../../schemas/task.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';
import {
  type BrokenRule,
  type FilterContext,
  type FilterRule,
  type JudgedTrajectory,
  lengthOutOfRange,
  lintFindings,
  type MeasureRule,
  secretInText,
  tooEasyOrHard,
  unwantedLanguage,
} from './measureRules.ts';

/** Breaches that evidence lists; a text full of tags has hundreds. */
const MAX_BREACHES = 10;

/** A rule; one that looks at more than measures says what it finds, which is then known without the trajectory's text. */
type ListedRule =
  | { readonly finds: DropReason; readonly rule: FilterRule }
  | { readonly finds?: undefined; readonly rule: MeasureRule };

/** The rules in the order in which they name the reason of a drop. */
export const filterRules: readonly ListedRule[] = [
  { finds: 'invalid_grammar', rule: invalidGrammar },
  { rule: wrongAnswer },
  { finds: 'too_few_tests', rule: tooFewTests },
  { rule: tooFewInteractions },
  { rule: redundantToolInput },
  { rule: instructionFailure },
  { rule: lintFindings },
  { rule: lengthOutOfRange },
  { rule: unwantedLanguage },
  { rule: secretInText },
  { rule: tooEasyOrHard },
  // Last, for it is no flaw: it thins out what is left.
  { rule: noReflection },
];

/**
 * Why a trajectory that was measured before would be dropped by other settings; undefined where it would be kept.
 *
 * @param found reasons that were found when its text was last looked at
 */
export function decideAgain(
  trajectory: JudgedTrajectory,
  profile: Profile,
  context: FilterContext,
  found: readonly string[],
): DropReason | undefined {
  for (const { finds, rule } of filterRules) {
    const known = finds !== undefined && found.includes(finds) ? finds : undefined;
    const reason = finds === undefined ? rule(trajectory, profile, context)?.reason : known;
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The text as a trainer reads it must parse into exactly the segments, and they must obey the profile's grammar. */
export function invalidGrammar(trajectory: Trajectory, profile: Profile): BrokenRule | undefined {
  const { blocks, issues } = parseBlocks(
    profile,
    trajectory.segments.map((segment) => segment.text).join(''),
  );
  const breaches = [
    ...issues.map(({ code, offset, message }) => ({ code, offset, message })),
    ...segmentBreaches(trajectory, layOutBlocks(blocks)),
    ...checkGrammar(profile, blocks).map(({ code, block, message }) => ({ code, block, message })),
  ];
  if (breaches.length === 0) return undefined;
  return {
    reason: 'invalid_grammar',
    evidence: { breaches: breaches.slice(0, MAX_BREACHES), count: breaches.length },
  };
}

/** Where the text reads otherwise than its segments say: model text that closes its own tag and opens others. */
function segmentBreaches({ segments }: Trajectory, read: ReturnType<typeof layOutBlocks>) {
  const length = Math.max(segments.length, read.length);
  for (let at = 0; at < length; at++) {
    const segment = segments[at];
    const block = read[at];
    if (segment?.text === block?.text && segment?.origin === block?.origin) continue;
    const message = `segment ${at} (<${segment?.tag}>) does not read as one block of its own`;
    return [{ code: 'segment_mismatch', block: at, message }];
  }
  return [];
}

/** Any judge that found the answer wrong. */
function wrongAnswer({ quality }: JudgedTrajectory): BrokenRule | undefined {
  const failed = failedVerdict(quality, 'answer');
  return failed && { reason: 'wrong_answer', evidence: failed };
}

/** A program that passes few tests may only know the samples. Tasks of a run are dropped for it before they are worked on. */
function tooFewTests(
  { tests }: Trajectory,
  _profile: Profile,
  { settings: { min_tests = 0 } }: FilterContext,
): BrokenRule | undefined {
  if (!tests || testCount(tests) >= min_tests) return undefined;
  return { reason: 'too_few_tests', evidence: { tests: testCount(tests), min_tests } };
}

/** Progressive filtering, stage 1 of the paper: simple trajectories teach little. */
function tooFewInteractions(
  { quality }: JudgedTrajectory,
  profile: Profile,
  { settings: { min_interactions }, measures }: FilterContext,
): BrokenRule | undefined {
  const { count, least } = interactionLimit(min_interactions, profile);
  const interactions = count === 'agents' ? measures.steps : quality.interactions;
  if (interactions >= least) return undefined;
  return {
    reason: 'too_few_interactions',
    evidence: { ...(count === 'agents' && { count }), interactions, min_interactions: least },
  };
}

/** Pairs of nearly equal inputs that evidence names. */
const MAX_PAIRS = 5;

/** Progressive filtering, stage 2 of the paper: asking a tool the same thing again, to the letter or nearly. */
function redundantToolInput(
  { quality }: JudgedTrajectory,
  _profile: Profile,
  { settings: { max_redundant_tool_inputs: most }, nearInputs }: FilterContext,
): BrokenRule | undefined {
  const { redundant_tool_inputs: equal } = quality;
  if (most === null || equal + nearInputs.length <= most) return undefined;
  return {
    reason: 'redundant_tool_input',
    evidence: {
      redundant_tool_inputs: equal,
      max_redundant_tool_inputs: most,
      ...(nearInputs.length > 0 && {
        near_redundant_tool_inputs: nearInputs.length,
        near_pairs: nearInputs.slice(0, MAX_PAIRS).map((pair) => ({ ...pair })),
      }),
    },
  };
}

/** Progressive filtering, stage 2 of the paper: a judge found that instructions were not followed. */
function instructionFailure(
  { quality }: JudgedTrajectory,
  _profile: Profile,
  { settings }: FilterContext,
): BrokenRule | undefined {
  if (settings.instruction_failures === 'keep') return undefined;
  const failed = failedVerdict(quality, 'instructions');
  return failed && { reason: 'instruction_failure', evidence: failed };
}

/**
 * Progressive filtering, stage 3 of the paper: trajectories without a reflection stay at a rate, and not at all for
 * some profiles. Which of them stay depends on the seed and the trajectory's id alone; a higher rate only adds.
 */
function noReflection(
  { id, profile, quality }: JudgedTrajectory,
  _profile: Profile,
  { settings, seed }: FilterContext,
): BrokenRule | undefined {
  if (!settings.reflection || quality.reflections > 0) return undefined;
  const { rate, drop_for } = settings.reflection;
  if (drop_for.includes(profile)) return { reason: 'no_reflection', evidence: { profile, drop_for } };
  const share = hashedShare('reflection', seed, id);
  return share < rate ? undefined : { reason: 'no_reflection', evidence: { share, rate } };
}

/** The first verdict of any judge that something was wrong, as evidence. */
function failedVerdict(
  { verdicts }: Trajectory['quality'],
  subject: Verdict['subject'],
): JsonObject | undefined {
  const found = verdicts.find((verdict) => verdict.subject === subject && verdict.judgement === 'incorrect');
  if (!found) return undefined;
  const { judge, score, evidence } = found;
  return { judge, score, ...evidence };
}
