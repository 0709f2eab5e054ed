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
  { names, profileOf }: ProfileRegistry,
): void {
  const { min_interactions, duplicate_questions } = filters;
  if (duplicate_questions === 'keep' && dedup?.questions) {
    const where = place(document, ['filters', 'duplicate_questions']);
    throw new UserError(
      `${where}: keep lets through what dedup.questions is to drop; expected drop, or no dedup.questions`,
    );
  }
  const profiles = [
    ...limitedProfiles(min_interactions).map((name) => ({
      name,
      keys: ['min_interactions', name],
    })),
    ...(filters.reflection?.drop_for ?? []).map((name, at) => ({
      name,
      keys: ['reflection', 'drop_for', at],
    })),
  ];
  for (const { name, keys } of profiles) {
    if (profileOf(name)) continue;
    const where = place(document, ['filters', ...keys]);
    throw new UserError(`${where}: unknown profile "${name}"; ${suggestion(name, names)}`);
  }
  const rules: readonly string[] = [...lintRuleGroups, ...ruleIds];
  for (const [at, rule] of (filters.lint ?? []).entries()) {
    if (rules.includes(rule)) continue;
    const where = place(document, ['filters', 'lint', at]);
    throw new UserError(`${where}: unknown lint rule "${rule}"; ${suggestion(rule, rules)}`);
  }
}
