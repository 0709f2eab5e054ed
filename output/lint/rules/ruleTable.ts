import { maskRules } from './maskRules.ts';
import type { LintRule } from './rule.ts';
import { structureRules } from './structureRules.ts';
import { textRules } from './textRules.ts';

/** Every rule of the linter by its id: findings, SARIF and the documentation page all read this table. */
export const lintRules = { ...textRules, ...structureRules, ...maskRules } satisfies Record<string, LintRule>;

/** The id of a rule. */
export type RuleId = keyof typeof lintRules;

/** The ids in the order of the documentation page. */
export const ruleIds = Object.keys(lintRules) as RuleId[];
