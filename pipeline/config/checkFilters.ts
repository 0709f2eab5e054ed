import { allowedNames } from '../../base/nearestName.ts';
import { lintRules, type RuleId, ruleIds } from '../../output/lint/rules/ruleTable.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import { limitedProfiles } from '../../schemas/filters/interactionLimits.ts';
import type { ConfigProblems } from './configProblems.ts';

/** Checks the names in `filters`, which are profiles and lint rules. */
export function checkFilters(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void {
  const { filters } = config;
  for (const name of limitedProfiles(filters.min_interactions))
    checkProfileName(problems, ['filters', 'min_interactions', name], name, profiles);
  for (const [at, name] of (filters.reflection?.drop_for ?? []).entries())
    checkProfileName(problems, ['filters', 'reflection', 'drop_for', at], name, profiles);
  const rules: readonly string[] = ['all', 'error', 'warning', 'note', ...ruleIds];
  for (const [at, rule] of (filters.lint ?? []).entries())
    if (!rules.includes(rule))
      problems.add(['filters', 'lint', at], `unknown lint rule "${rule}"; ${allowedNames(rule, rules)}`);
}

/** Checks the name of a profile at a place of a configuration. */
export function checkProfileName(
  problems: ConfigProblems,
  keys: readonly PropertyKey[],
  name: string,
  { names, profileOf }: ProfileRegistry,
): void {
  if (!profileOf(name)) problems.add(keys, `unknown profile "${name}"; ${allowedNames(name, names)}`);
}

/** Refuses rules that weigh records: a run's dataset has no place for the weight of a row, and most trainers know none. */
export function checkBalance(problems: ConfigProblems, { balance }: Config): void {
  for (const [at, rule] of (balance?.rules ?? []).entries())
    if (rule.rule === 'temperature' && rule.how === 'weight')
      problems.add(
        ['balance', 'rules', at, 'how'],
        'the formats of a dataset have no place for the weight of a row; set how: repeat or how: drop',
      );
}

/** The lint rules that `filters.lint` names: by id, all of them, or those of one severity. */
export function lintRulesOf(names: readonly string[]): ReadonlySet<string> {
  const isWanted = (rule: RuleId) =>
    names.includes(rule) || names.includes('all') || names.includes(lintRules[rule].severity);
  return new Set(ruleIds.filter(isWanted));
}
