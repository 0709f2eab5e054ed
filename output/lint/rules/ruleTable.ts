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

const groups = [
  { title: 'Files, rows and characters', rules: textRules },
  { title: 'Tags, order and content', rules: structureRules },
  { title: 'What AFM’s fork would do', rules: maskRules },
] as const;

/** A rule's title as a sentence. */
export function ruleTitle(rule: RuleId): string {
  const { title } = lintRules[rule];
  return `${title.slice(0, 1).toUpperCase()}${title.slice(1)}.`;
}

/** The documentation page of the rules, made from their table. */
export function renderRuleDocs(): string {
  const sections = groups.map(({ title, rules }) => {
    const rows = (Object.keys(rules) as RuleId[]).map(ruleRow);
    return `## ${title}\n\n| rule | severity | finds | why, and what to do | \`--fix\` |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${introduction}\n${sections.join('\n')}`;
}

function ruleRow(rule: RuleId): string {
  const { severity, title, why, fixable } = lintRules[rule];
  const cells = [`\`${rule}\``, severity, title, why, fixable ? 'yes' : ''];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const introduction = `# Lint rules

<!-- before: coa-distill run -->
\`\`\`sh
coa-distill lint runs/coa/dataset
\`\`\`

\`coa-distill lint FILE...\` checks Chain-of-Agents rows in JSON, JSON lines and parquet files: alpaca columns, \`conversations\` or \`messages\`, and \`trajectories.jsonl\`. It exits with 1 when a rule of severity error spoke. There are ${ruleIds.length} rules.

A finding names the file, the row, the line of the file on which the row begins (parquet has none), and line and column within the row's trajectory text: JSON writes that text with escapes, so its lines are not the file's. Columns count UTF-16 code units. At most ten findings of one rule are told for one row.

Order and content are checked against the profile named with \`--profile\`, else the row's own, else the one that fits its tags best; the summary says which were guessed.

This page is made from the rules' table.
`;
