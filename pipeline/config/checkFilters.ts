import { allowedNames } from '../../base/nearestName.ts';
import { lintRules, type RuleId, ruleIds } from '../../output/lint/rules/ruleTable.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import { limitedProfiles } from '../../schemas/config/filters.ts';
import type { ConfigProblems } from './configProblems.ts';
import { valueAt } from './explainIssues.ts';

/** Checks the names in `filters`, which are profiles and lint rules, and that `dedup` does not contradict it. */
export function checkFilters(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void {
  problems.check(() => {
    const { filters, dedup } = config;
    if (filters.duplicate_questions === 'keep' && dedup?.questions)
      problems.add(
        ['filters', 'duplicate_questions'],
        'keep lets through what dedup.questions is to drop; expected drop, or no dedup.questions',
      );
  });
  problems.check(() => {
    for (const name of limitedProfiles(config.filters.min_interactions))
      checkProfileName(problems, ['filters', 'min_interactions', name], name, profiles);
  });
  checkEach(
    problems,
    () => config.filters.reflection?.drop_for,
    (name, at) => checkProfileName(problems, ['filters', 'reflection', 'drop_for', at], name, profiles),
  );
  const rules: readonly string[] = [...lintRuleGroups, ...ruleIds];
  checkEach(
    problems,
    () => config.filters.lint,
    (rule, at) => {
      if (!rules.includes(rule))
        problems.add(['filters', 'lint', at], `unknown lint rule "${rule}"; ${allowedNames(rule, rules)}`);
    },
  );
}

/** Checks each value of a list apart: one that is wrong already is left out. */
export function checkEach<T>(
  problems: ConfigProblems,
  listOf: () => readonly T[] | undefined,
  check: (value: T, at: number) => void,
): void {
  problems.check(() => {
    const list = listOf() ?? [];
    for (const at of list.keys()) problems.check(() => check(list[at]!, at));
  });
}

/** Checks the name of a profile at a place of a configuration; one that is declared, but can't work, is known. */
export function checkProfileName(
  problems: ConfigProblems,
  keys: readonly PropertyKey[],
  name: string,
  { names, profileOf }: ProfileRegistry,
): void {
  if (profileOf(name) || declaredNames(problems).includes(name)) return;
  problems.add(keys, `unknown profile "${name}"; ${allowedNames(name, names)}`);
}

function declaredNames({ document }: ConfigProblems): unknown[] {
  const declarations = valueAt(document.value, ['profiles']);
  return Array.isArray(declarations) ? declarations.map((one) => valueAt(one, ['name'])) : [];
}

/** Refuses rules that weigh records: a run's dataset has no place for the weight of a row, and most trainers know none. */
export function checkBalance(problems: ConfigProblems, config: Config): void {
  checkEach(
    problems,
    () => config.balance?.rules,
    (rule, at) => {
      if (rule.rule !== 'temperature' || rule.how !== 'weight') return;
      problems.add(
        ['balance', 'rules', at, 'how'],
        'the formats of a dataset have no place for the weight of a row; set how: repeat or how: drop',
      );
    },
  );
}

/** The words that stand for several rules: all of them, or those of one severity. */
export const lintRuleGroups = ['all', 'error', 'warning', 'note'] as const;

/** The lint rules that `filters.lint` names, by id or by group. */
export function lintRulesOf(names: readonly string[]): ReadonlySet<string> {
  const isWanted = (rule: RuleId) =>
    names.includes(rule) || names.includes('all') || names.includes(lintRules[rule].severity);
  return new Set(ruleIds.filter(isWanted));
}
