import { lintRules, type RuleId, ruleIds } from '../../output/lint/rules/ruleTable.ts';

/** The words that stand for several rules: all of them, or those of one severity. */
export const lintRuleGroups = ['all', 'error', 'warning', 'note'] as const;

/** The lint rules that `filters.lint` names, by id or by group. */
export function lintRulesOf(names: readonly string[]): ReadonlySet<string> {
  const isWanted = (rule: RuleId) =>
    names.includes(rule) || names.includes('all') || names.includes(lintRules[rule].severity);
  return new Set(ruleIds.filter(isWanted));
}
