import { printable } from '../../../base/printable.ts';
import type { LintFinding } from '../finding.ts';

/** A finding as one line: file, row and the line on which it begins, line and column in the row's text, rule, message. */
export function findingLine(finding: LintFinding): string {
  const { file, row, file_line, line, column, severity, rule, message } = finding;
  const fileLine = file_line === null ? '' : ` (line ${file_line})`;
  return printable(`${file}: row ${row}${fileLine}, text ${line}:${column}: ${severity} ${rule}: ${message}`);
}
