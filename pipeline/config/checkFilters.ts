import { allowedNames } from '../../base/nearestName.ts';
import { ruleTable, textRuleNames } from '../../output/check/rules.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import { limitedProfiles } from '../../schemas/filters/interactionLimits.ts';
import type { ConfigProblems } from './configProblems.ts';

export function checkFilters(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void {
  const { filters } = config;
  for (const name of limitedProfiles(filters.min_interactions))
    checkProfileName(problems, ['filters', 'min_interactions', name], name, profiles);
  for (const [at, name] of (filters.reflection?.drop_for ?? []).entries())
    checkProfileName(problems, ['filters', 'reflection', 'drop_for', at], name, profiles);
  const rules: readonly string[] = ['all', 'error', 'warning', ...textRuleNames];
  for (const [at, rule] of (filters.check ?? []).entries())
    if (!rules.includes(rule))
      problems.add(['filters', 'check', at], `unknown rule "${rule}"; ${allowedNames(rule, rules)}`);
}

export function checkProfileName(
  problems: ConfigProblems,
  keys: readonly PropertyKey[],
  name: string,
  { names, profileOf }: ProfileRegistry,
): void {
  if (!profileOf(name)) problems.add(keys, `unknown profile "${name}"; ${allowedNames(name, names)}`);
}

/** Rejects rules with record weights: a run's dataset has no weight column, and most trainers ignore one. */
export function checkBalance(problems: ConfigProblems, { balance }: Config): void {
  for (const [at, rule] of (balance?.rules ?? []).entries())
    if (rule.rule === 'temperature' && rule.how === 'weight')
      problems.add(
        ['balance', 'rules', at, 'how'],
        'the formats of a dataset have no place for the weight of a row; set how: repeat or how: drop',
      );
}

/** Rules of `filters.check`: by name, all, or those of one severity. */
export function textRulesOf(names: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(names);
  return new Set(
    textRuleNames.filter(
      (rule) => wanted.has(rule) || wanted.has('all') || wanted.has(ruleTable[rule].severity),
    ),
  );
}
