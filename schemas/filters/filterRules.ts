import { z } from 'zod';
import { keyOf, wholeNumber } from '../config/keyMeaning.ts';
import type { FilterMeasures } from '../filterMeasures.ts';
import type { Trajectory } from '../trajectory.ts';
import {
  type BrokenRule,
  type DecisionContext,
  type FilterRule,
  filterRule,
  type MeasureContext,
} from './filterRule.ts';
import { interactionLimit, interactionLimitsSchema } from './interactionLimits.ts';
import {
  checkRule,
  difficultyRule,
  groundingRule,
  languageRule,
  lengthRule,
  ownRules,
  secretsRule,
  unsupportedThoughtRule,
} from './measureRules.ts';
import {
  formTextRule,
  grammarRule,
  instructionsRule,
  reflectionRule,
  testsRule,
  wrongAnswerRule,
} from './verdictRules.ts';

const filterKey = keyOf('filter');

/** Progressive filtering, stage 1 of the paper: simple trajectories teach little. */
const interactionsRule = filterRule({
  reasons: {
    too_few_interactions:
      "`filters.min_interactions`: one number, or one by profile, `default` for the others (the profile's own where absent), and `count`",
  },
  keys: {
    min_interactions: filterKey(
      interactionLimitsSchema.default({}),
      "Fewest interactions: one number, or one by profile and `default` for the others (absent: the profile's own); `count`: tools (tool calls that were answered, the default), or agents (actions: plans, tool calls, reflections, checks and answers)",
    ),
  },
  decide({ quality }, { settings: { min_interactions }, profile, measures }) {
    const { count, least } = interactionLimit(min_interactions, profile);
    const interactions = count === 'agents' ? measures.steps : quality.interactions;
    if (interactions >= least) return undefined;
    return {
      reason: 'too_few_interactions',
      evidence: { ...(count === 'agents' && { count }), interactions, min_interactions: least },
    };
  },
});

/** Maximum pairs of nearly equal inputs in evidence. */
const MAX_PAIRS = 5;

/** Progressive filtering, stage 2 of the paper: repeated tool inputs, exact or nearly equal. */
const redundancyRule = filterRule({
  reasons: {
    redundant_tool_input:
      '`filters.max_redundant_tool_inputs` (0; null: not looked at), `filters.tool_input_similarity` (0.9; null: equal inputs alone)',
  },
  keys: {
    max_redundant_tool_inputs: filterKey(
      wholeNumber.nullable().default(0),
      'Most tool inputs that repeat an earlier one; null: not looked at',
    ),
    tool_input_similarity: filterKey(
      z.number().min(0.5).max(1).nullable().default(0.9),
      'Least likeness of each pair of words of two queries that are nearly equal, in any order; 1: the same words; null: only equal inputs are redundant',
    ),
  },
  measure: (_, { nearInputs }) => ({ near_redundant_tool_inputs: nearInputs.length }),
  decide({ quality }, { settings: { max_redundant_tool_inputs: most }, nearInputs }) {
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
  },
});

const rows = [
  grammarRule,
  wrongAnswerRule,
  testsRule,
  interactionsRule,
  redundancyRule,
  groundingRule,
  unsupportedThoughtRule,
  instructionsRule,
  formTextRule,
  checkRule,
  lengthRule,
  languageRule,
  secretsRule,
  difficultyRule,
  ownRules,
  // Last, since it is not a flaw: it thins out the remaining records.
  reflectionRule,
] as const;

type Together<Union> = (Union extends unknown ? (of: Union) => void : never) extends (of: infer All) => void
  ? All
  : never;
type FilterKeys = Together<(typeof rows)[number]['keys']>;

/** Keys of `filters` that the rules read. */
export const filterKeys = Object.assign({}, ...rows.map(({ keys }) => keys)) as FilterKeys;

/** Rules in the order of precedence for a drop reason. */
export const filterRules: readonly Omit<FilterRule<FilterKeys>, 'keys'>[] = rows;

type FilterSettings = z.infer<z.ZodObject<FilterKeys>>;

/** All measures of a trajectory. */
export async function measureTrajectory(
  trajectory: Trajectory,
  context: MeasureContext<FilterSettings>,
): Promise<FilterMeasures> {
  const parts: Partial<FilterMeasures>[] = [];
  for (const rule of filterRules) parts.push((await rule.measure?.(trajectory, context)) ?? {});
  return Object.assign({}, ...parts) as FilterMeasures;
}

/** Findings of every rule for a trajectory. */
export function brokenRules(trajectory: Trajectory, context: DecisionContext<FilterSettings>): BrokenRule[] {
  return filterRules.flatMap((rule) => rule.decide(trajectory, context) ?? []);
}
