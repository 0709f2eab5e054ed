import { checkGrammar } from '../../schemas/coa/check.ts';
import { layOut } from '../../schemas/coa/layout.ts';
import { parse } from '../../schemas/coa/parse.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import type { JsonObject } from '../../schemas/json.ts';
import type { DropReason } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';

/** A rule that a trajectory breaks, and what shows it. */
export interface Finding {
  readonly reason: DropReason;
  readonly evidence: JsonObject;
}

/** Looks at one trajectory; undefined when there is nothing to find. */
export type FilterRule = (
  trajectory: Trajectory,
  profile: Profile,
  settings: FiltersConfig,
) => Finding | undefined;

/** Breaches that evidence lists; a text full of tags has hundreds. */
const mostBreaches = 10;

/** The rules in the order in which they name the reason of a drop. */
export const filterRules: readonly FilterRule[] = [
  invalidGrammar,
  wrongAnswer,
  tooFewInteractions,
  redundantToolInput,
];

/** The text as a trainer reads it must parse into exactly the segments, and they must obey the profile's grammar. */
export function invalidGrammar(trajectory: Trajectory, profile: Profile): Finding | undefined {
  const { blocks, issues } = parse(profile, trajectory.segments.map((segment) => segment.text).join(''));
  const breaches = [
    ...issues.map(({ code, offset, message }) => ({ code, offset, message })),
    ...segmentBreaches(trajectory, layOut(blocks)),
    ...checkGrammar(profile, blocks).map(({ code, block, message }) => ({ code, block, message })),
  ];
  if (breaches.length === 0) return undefined;
  return {
    reason: 'invalid_grammar',
    evidence: { breaches: breaches.slice(0, mostBreaches), count: breaches.length },
  };
}

/** Where the text reads otherwise than its segments say: model text that closes its own tag and opens others. */
function segmentBreaches({ segments }: Trajectory, read: ReturnType<typeof layOut>) {
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
export function wrongAnswer({ quality }: Trajectory): Finding | undefined {
  const wrong = quality.verdicts.find(
    (verdict) => verdict.subject === 'answer' && verdict.judgement === 'incorrect',
  );
  if (!wrong) return undefined;
  const { judge, score, evidence } = wrong;
  return { reason: 'wrong_answer', evidence: { judge, score, ...evidence } };
}

/** Progressive filtering, stage 1 of the paper: simple trajectories teach little. */
export function tooFewInteractions(
  { quality }: Trajectory,
  profile: Profile,
  { min_interactions }: FiltersConfig,
): Finding | undefined {
  const least = min_interactions[profile.name] ?? profile.min_interactions;
  if (quality.interactions >= least) return undefined;
  return {
    reason: 'too_few_interactions',
    evidence: { interactions: quality.interactions, min_interactions: least },
  };
}

/** Progressive filtering, stage 2 of the paper: asking a tool the same thing again. */
export function redundantToolInput(
  { quality }: Trajectory,
  _profile: Profile,
  { max_redundant_tool_inputs: most }: FiltersConfig,
): Finding | undefined {
  if (most === null || quality.redundant_tool_inputs <= most) return undefined;
  return {
    reason: 'redundant_tool_input',
    evidence: {
      redundant_tool_inputs: quality.redundant_tool_inputs,
      max_redundant_tool_inputs: most,
    },
  };
}
