import { UserError } from '../../base/userError.ts';
import { ruleIds } from '../../output/lint/rules/ruleTable.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import { limitedProfiles } from '../../schemas/config/filters.ts';
import type { ConfigDocument } from './configDocument.ts';
import { place } from './explainConfigIssue.ts';
import { lintRuleGroups } from './lintRulesOf.ts';
import { suggestion } from './nearestName.ts';

/**
 * Checks the names in `filters`, which are profiles and lint rules, and that `dedup` does not contradict it.
 *
 * @throws UserError for the first that is not known, and for a contradiction
 */
export function checkFilters(
  document: ConfigDocument,
  { filters, dedup }: Config,
  profiles: ProfileRegistry,
): void {
  const { min_interactions, duplicate_questions, reflection, lint = [] } = filters;
  if (duplicate_questions === 'keep' && dedup?.questions) {
    const where = place(document, ['filters', 'duplicate_questions']);
    throw new UserError(
      `${where}: keep lets through what dedup.questions is to drop; expected drop, or no dedup.questions`,
    );
  }
  for (const name of limitedProfiles(min_interactions))
    checkProfileName(document, ['filters', 'min_interactions', name], name, profiles);
  for (const [at, name] of (reflection?.drop_for ?? []).entries())
    checkProfileName(document, ['filters', 'reflection', 'drop_for', at], name, profiles);
  const rules: readonly string[] = [...lintRuleGroups, ...ruleIds];
  for (const [at, rule] of lint.entries()) {
    if (rules.includes(rule)) continue;
    const where = place(document, ['filters', 'lint', at]);
    throw new UserError(`${where}: unknown lint rule "${rule}"; ${suggestion(rule, rules)}`);
  }
}

/**
 * Checks the name of a profile at a place of a configuration.
 *
 * @throws UserError where it is not known
 */
export function checkProfileName(
  document: ConfigDocument,
  keys: readonly PropertyKey[],
  name: string,
  { names, profileOf }: ProfileRegistry,
): void {
  if (profileOf(name)) return;
  throw new UserError(`${place(document, keys)}: unknown profile "${name}"; ${suggestion(name, names)}`);
}

/**
 * Refuses rules that weigh records: a run's dataset has no place for the weight of a row, and most trainers know none.
 *
 * @throws UserError for the first such rule
 */
export function checkBalance(document: ConfigDocument, { balance }: Config): void {
  const at = balance?.rules.findIndex((rule) => rule.rule === 'temperature' && rule.how === 'weight') ?? -1;
  if (at < 0) return;
  throw new UserError(
    `${place(document, ['balance', 'rules', at, 'how'])}: the formats of a dataset have no place for the weight of a row; set how: repeat or how: drop`,
  );
}
