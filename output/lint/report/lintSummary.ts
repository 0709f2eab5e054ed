import { Counts } from '../../../base/counts.ts';
import { printable } from '../../../base/printable.ts';
import type { LintFinding } from '../finding.ts';
import type { LintedRow } from '../lintRows.ts';
import type { Severity } from '../rules/rule.ts';
import { lintRules, type RuleId, ruleIds } from '../rules/ruleTable.ts';

/** What a whole run of the linter found; keys as `--json` writes them. */
interface LintTotals {
  readonly rows: number;
  readonly rows_with_errors: number;
  /** Of several files: rows that say something else than every other. A dataset's formats hold the same trajectories. */
  readonly distinct_rows?: number;
  /** Rows by file, without files that were passed over. */
  readonly files: readonly { readonly file: string; readonly rows: number }[];
  /** Rules that spoke, in the table's order, and how often. */
  readonly rules: readonly {
    readonly rule: RuleId;
    readonly severity: Severity;
    readonly findings: number;
    readonly rows: number;
  }[];
  /** Rows by the profile they were checked against. */
  readonly profiles: readonly { readonly profile: string; readonly rows: number; readonly guessed: number }[];
}

/** Counts rows as they come. Findings past the limit of a rule in one row are not counted. */
export class LintSummary {
  #rowsWithErrors = 0;
  #unreadable = 0;
  readonly #files = new Counts();
  readonly #digests = new Set<string>();
  readonly #findings = new Counts<RuleId>();
  readonly #rows = new Counts<RuleId>();
  readonly #profiles = new Counts();
  readonly #guessed = new Counts();

  /** @param file that the row stands in, as the user named it */
  add({ findings, profile, digest }: LintedRow, file: string): void {
    this.#files.add(file);
    if (findings.some(({ severity }) => severity === 'error')) this.#rowsWithErrors += 1;
    for (const { rule } of findings) this.#findings.add(rule);
    for (const rule of new Set(findings.map((finding) => finding.rule))) this.#rows.add(rule);
    if (profile) this.#profiles.add(profile.name);
    if (profile?.guessed) this.#guessed.add(profile.name);
    if (!profile) this.#unreadable += 1;
    if (digest !== undefined) this.#digests.add(digest);
  }

  /** Whether a row of the file was counted. */
  hasRowsOf(file: string): boolean {
    return this.#files.has(file);
  }

  get totals(): LintTotals {
    const files = [...this.#files].map(([file, rows]) => ({ file, rows }));
    return {
      rows: files.reduce((sum, { rows }) => sum + rows, 0),
      rows_with_errors: this.#rowsWithErrors,
      ...(files.length > 1 && { distinct_rows: this.#digests.size + this.#unreadable }),
      files,
      rules: ruleIds.flatMap((rule) => {
        const findings = this.#findings.get(rule);
        const { severity } = lintRules[rule];
        return findings ? [{ rule, severity, findings, rows: this.#rows.get(rule)! }] : [];
      }),
      profiles: [...this.#profiles].map(([profile, rows]) => {
        return { profile, rows, guessed: this.#guessed.get(profile) ?? 0 };
      }),
    };
  }
}

/** The totals as lines of text: one per rule, the profiles, the files where there are several, the rows. */
export function renderTotals(totals: LintTotals): string {
  const { rows: all, distinct_rows: distinct = all, rows_with_errors: withErrors } = totals;
  const width = Math.max(0, ...totals.rules.map(({ rule }) => rule.length));
  const rules = totals.rules.map(({ rule, severity, findings, rows }) => {
    return `  ${rule.padEnd(width)}  ${severity.padEnd(7)}  ${findings} in ${plural(rows, 'row')}`;
  });
  const profiles = totals.profiles.map(({ profile, rows, guessed }) => {
    const how =
      guessed === 0 ? '' : `, ${guessed === rows ? '' : `${guessed} of them `}guessed from the tags`;
    return `  profile ${profile}: ${plural(rows, 'row')}${how}`;
  });
  const several = totals.files.length > 1 ? totals.files : [];
  const files = several.map(({ file, rows }) => printable(`  ${file}: ${plural(rows, 'row')}`));
  const where = several.length > 0 ? ` in ${several.length} files` : '';
  const repeated = distinct < all ? ` (${distinct} distinct)` : '';
  const verdict = `${plural(all, 'row')}${where}${repeated}, ${withErrors} with errors`;
  return `${[...rules, ...profiles, ...files, verdict].join('\n')}\n`;
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
