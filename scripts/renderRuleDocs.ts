import { markdownTable } from '../output/dataset/formatReadme.ts';
import { ruleGroups, ruleIds } from '../output/lint/rules/ruleTable.ts';

/** The documentation page of the linter's rules, made from their table. */
export function renderRuleDocs(): string {
  const head = ['rule', 'severity', 'finds', 'why, and what to do'];
  const sections = Object.entries(ruleGroups).map(([title, rules]) => {
    const rows = Object.entries(rules).map(([rule, { severity, title: finds, why }]) =>
      [`\`${rule}\``, severity, finds, why].map((cell) => cell.replaceAll('|', '\\|')),
    );
    return `## ${title}\n\n${markdownTable(head, rows)}\n`;
  });
  return `${introduction}\n${sections.join('\n')}`;
}

const introduction = `# Lint rules

<!-- before: coa-distill run -->
\`\`\`sh
coa-distill lint runs/coa/dataset
\`\`\`

\`coa-distill lint FILE...\` checks Chain-of-Agents rows in [files of rows](formats.md#files-that-others-wrote): alpaca columns, \`conversations\` or \`messages\`, and \`trajectories.jsonl\`. It exits with 1 when a rule of severity error spoke. There are ${ruleIds.length} rules.

A finding names the file, the row, the line of the file on which the row begins (parquet and Arrow have none), and line and column within the row's trajectory text: JSON writes that text with escapes, so its lines are not the file's. Columns count UTF-16 code units. At most ten findings of one rule are told for one row.

Order and content are checked against the profile named with \`--profile\`, else the row's own, else the one that fits its tags best; the summary says which were guessed. Of several files it counts the rows of each, and all that are distinct: the formats of a dataset hold the same trajectories.

This page is made from the rules' table.
`;
