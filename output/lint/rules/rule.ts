/** How bad a breach is: an `error` makes the command exit with 1. The names are SARIF's levels. */
export const severities = ['error', 'warning', 'note'] as const;
/** See {@link severities}. */
export type Severity = (typeof severities)[number];

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
