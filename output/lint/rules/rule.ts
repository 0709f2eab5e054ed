/** How bad a breach is: an `error` makes the command exit with 1. The names are SARIF's levels. */
export type Severity = 'error' | 'warning';

/** A rule as users read about it. */
export interface LintRule {
  readonly severity: Severity;
  /** What the rule finds, as a noun phrase of a few words. */
  readonly title: string;
  /** Why it matters and what to do: the sentences of the documentation page. */
  readonly why: string;
  /** True when `--fix` rewrites it. */
  readonly fixable: boolean;
}

/** A rule of severity error that `--fix` does not rewrite. */
export function error(title: string, why: string): LintRule {
  return { severity: 'error', title, why, fixable: false };
}

/** A rule of severity warning that `--fix` does not rewrite. */
export function warning(title: string, why: string): LintRule {
  return { ...error(title, why), severity: 'warning' };
}

/** The rule as one that `--fix` rewrites. */
export function fixable(rule: LintRule): LintRule {
  return { ...rule, fixable: true };
}
