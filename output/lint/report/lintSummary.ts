import { printable } from '../../../base/printable.ts';
import type { LintFinding } from '../finding.ts';
import type { LintedRow } from '../lintFile.ts';
import type { Severity } from '../rules/rule.ts';
import { lintRules, type RuleId, ruleIds, ruleTitle } from '../rules/ruleTable.ts';

/** How often a rule spoke. */
interface RuleCount {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly findings: number;
  readonly rows: number;
}

/** What a whole run of the linter found; keys as `--json` writes them. */
interface LintTotals {
  readonly rows: number;
  readonly rows_with_errors: number;
  /** Rules that spoke, in the table's order. */
  readonly rules: readonly RuleCount[];
  /** Rows by the profile they were checked against. */
  readonly profiles: readonly { readonly profile: string; readonly rows: number; readonly guessed: number }[];
}

/** Counts rows as they come. Findings past the limit of a rule in one row are not counted. */
export class LintSummary {
  #rows = 0;
  #rowsWithErrors = 0;
  readonly #rules = new Map<RuleId, { findings: number; rows: number }>();
  readonly #profiles = new Map<string, { rows: number; guessed: number }>();

  add(row: LintedRow): void {
    this.#rows += 1;
    if (row.findings.some((finding) => finding.severity === 'error')) this.#rowsWithErrors += 1;
    for (const { rule } of row.findings) count(this.#rules, rule).findings += 1;
    for (const rule of new Set(row.findings.map((finding) => finding.rule)))
      count(this.#rules, rule).rows += 1;
    if (!row.profile) return;
    const profile = this.#profiles.get(row.profile.name) ?? { rows: 0, guessed: 0 };
    profile.rows += 1;
    if (row.profile.guessed) profile.guessed += 1;
    this.#profiles.set(row.profile.name, profile);
  }

  get totals(): LintTotals {
    return {
      rows: this.#rows,
      rows_with_errors: this.#rowsWithErrors,
      rules: ruleIds.flatMap((rule) => {
        const counted = this.#rules.get(rule);
        return counted ? [{ rule, severity: lintRules[rule].severity, ...counted }] : [];
      }),
      profiles: [...this.#profiles].map(([profile, counted]) => ({ profile, ...counted })),
    };
  }
}

function count(rules: Map<RuleId, { findings: number; rows: number }>, rule: RuleId) {
  const counted = rules.get(rule) ?? { findings: 0, rows: 0 };
  rules.set(rule, counted);
  return counted;
}

/** The totals as lines of text: one per rule, the profiles, the rows. */
export function renderTotals(totals: LintTotals): string {
  const width = Math.max(0, ...totals.rules.map(({ rule }) => rule.length));
  const rules = totals.rules.map(({ rule, severity, findings, rows }) => {
    const fix = lintRules[rule].fixable ? '  (--fix)' : '';
    return `  ${rule.padEnd(width)}  ${severity.padEnd(7)}  ${findings} in ${plural(rows, 'row')}${fix}`;
  });
  const profiles = totals.profiles.map(({ profile, rows, guessed }) => {
    const how =
      guessed === 0 ? '' : `, ${guessed === rows ? '' : `${guessed} of them `}guessed from the tags`;
    return `  profile ${profile}: ${plural(rows, 'row')}${how}`;
  });
  const verdict = `${plural(totals.rows, 'row')}, ${totals.rows_with_errors} with errors`;
  return `${[...rules, ...profiles, verdict].join('\n')}\n`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A finding as one line: file, row and the line on which it begins, line and column in the row's text, rule, message. */
export function findingLine(finding: LintFinding): string {
  const { file, row, side, file_line, line, column, severity, rule, message } = finding;
  const fileLine = file_line === null ? '' : ` (line ${file_line})`;
  const ofPair = side ? `, ${side}` : '';
  return printable(
    `${file}: row ${row}${fileLine}${ofPair}, text ${line}:${column}: ${severity} ${rule}: ${message}`,
  );
}

const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
const results = '"results":[';

/**
 * A SARIF 2.1.0 log in three parts, so that results can be written as they come: the head, one {@link sarifResult}
 * after another with commas between, and {@link sarifTail}.
 *
 * @param version of coa-distill
 */
export function sarifHead(version: string): string {
  const rules = ruleIds.map((id) => ({
    id,
    shortDescription: { text: ruleTitle(id) },
    fullDescription: { text: lintRules[id].why },
    defaultConfiguration: { level: lintRules[id].severity },
    properties: { fixable: lintRules[id].fixable },
  }));
  const driver = JSON.stringify({ name: 'coa-distill', semanticVersion: version, rules });
  return `{"$schema":${JSON.stringify(schema)},"version":"2.1.0","runs":[{"tool":{"driver":${driver}},"columnKind":"utf16CodeUnits",${results}`;
}

/** A finding as a SARIF result: the file's line is the row's first; the place within the row's text is a property. */
export function sarifResult(finding: LintFinding): string {
  const { file, row, file_line, line, column, rule, severity, message, profile } = finding;
  const artifactLocation = { uri: fileUri(file) };
  return JSON.stringify({
    ruleId: rule,
    ruleIndex: ruleIds.indexOf(rule),
    level: severity,
    message: { text: `row ${row}, text ${line}:${column}: ${message}`.toWellFormed() },
    locations: [
      {
        physicalLocation:
          file_line === null ? { artifactLocation } : { artifactLocation, region: { startLine: file_line } },
        logicalLocations: [{ name: `row ${row}`, kind: 'element' }],
      },
    ],
    properties: { row, line, column, profile },
  });
}

/** See {@link sarifHead}. */
export const sarifTail = ']}]}\n';

/** A path as a URI reference; absolute paths get the `file` scheme. */
function fileUri(file: string): string {
  const path = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return path.startsWith('/') ? `file://${path}` : path;
}
