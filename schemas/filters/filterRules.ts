import type { z } from 'zod';
import type { FilterMeasures } from '../filterMeasures.ts';
import type { Trajectory } from '../trajectory.ts';
import type { BrokenRule, DecisionContext, FilterRule, MeasureContext } from './filterRule.ts';
import { interactionsRule, redundancyRule } from './interactionRules.ts';
import {
  checkRule,
  difficultyRule,
  languageRule,
  lengthRule,
  ownRules,
  secretsRule,
} from './measureRules.ts';
import {
  formTextRule,
  grammarRule,
  instructionsRule,
  reflectionRule,
  testsRule,
  wrongAnswerRule,
} from './verdictRules.ts';

const rows = [
  grammarRule,
  wrongAnswerRule,
  testsRule,
  interactionsRule,
  redundancyRule,
  instructionsRule,
  formTextRule,
  checkRule,
  lengthRule,
  languageRule,
  secretsRule,
  difficultyRule,
  ownRules,
  // Last, for it is not a flaw: it thins out what is left.
  reflectionRule,
] as const;

type Together<Union> = (Union extends unknown ? (of: Union) => void : never) extends (of: infer All) => void
  ? All
  : never;
type FilterKeys = Together<(typeof rows)[number]['keys']>;

/** The keys of `filters` that the rules ask. */
export const filterKeys = Object.assign({}, ...rows.map(({ keys }) => keys)) as FilterKeys;

/** The rules in the order in which they name the reason of a drop. */
export const filterRules: readonly Omit<FilterRule<FilterKeys>, 'keys'>[] = rows;

type FilterSettings = z.infer<z.ZodObject<FilterKeys>>;

/** All that the rules measure of a trajectory. */
export async function measureTrajectory(
  trajectory: Trajectory,
  context: MeasureContext<FilterSettings>,
): Promise<FilterMeasures> {
  const parts: Partial<FilterMeasures>[] = [];
  for (const rule of filterRules) parts.push((await rule.measure?.(trajectory, context)) ?? {});
  return Object.assign({}, ...parts) as FilterMeasures;
}

/** What every rule finds in a trajectory. */
export function brokenRules(trajectory: Trajectory, context: DecisionContext<FilterSettings>): BrokenRule[] {
  return filterRules.flatMap((rule) => rule.decide(trajectory, context) ?? []);
}
