import type { LintFinding } from '../finding.ts';
import { ruleTitle } from '../rules/renderRuleDocs.ts';
import { lintRules, ruleIds } from '../rules/ruleTable.ts';

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
