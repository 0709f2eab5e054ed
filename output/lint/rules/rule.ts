/** How bad a breach is: an `error` makes the command exit with 1. */
export type Severity = 'error' | 'warning';

/** A rule as users read about it. */
export interface LintRule {
  readonly severity: Severity;
  /** What the rule finds, as a noun phrase of a few words. */
  readonly title: string;
  /** Why it matters and what to do: the sentences of the documentation page. */
  readonly why: string;
}

/** A rule of severity error. */
export function error(title: string, why: string): LintRule {
  return { severity: 'error', title, why };
}

/** A rule of severity warning. */
export function warning(title: string, why: string): LintRule {
  return { severity: 'warning', title, why };
}
