import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from '../base/printable.ts';
import { UserError } from '../base/userError.ts';
import { openAudit } from '../operations/audit/auditFiles.ts';
import { auditDataset, type DatasetAudit } from '../output/audit/auditDataset.ts';
import { AuditTally, partsThatAgree } from '../output/audit/auditTally.ts';
import { auditWithReaders, type ReaderRequest } from '../output/readers/auditWithReaders.ts';
import { findPythons } from '../output/readers/findPython.ts';
import type { ReaderName } from '../output/readers/readerTable.ts';
import type { AuditedPart, AuditFinding, AuditTotals } from '../schemas/audit.ts';
import { formatCount, formatTable } from './format.ts';
import { print } from './outputMode.ts';
import { stopOnSignals } from './stopOnSignals.ts';

export interface AuditCommandOptions {
  readonly tokenizer?: string;
  readonly observationTag?: string;
  readonly with?: readonly ReaderName[];
  readonly python?: string;
  readonly json?: true;
  readonly sample?: number;
}

/** Audits a dataset. Returns the exit code: 1 when anything was found. */
export async function runAudit(given: string, options: AuditCommandOptions): Promise<number> {
  const audit = await openAudit(datasetPath(given), options);
  const pythons = await findPythons(options.with ?? [], options.python);
  using stop = stopOnSignals();
  const totals = await auditInto(audit, options, { pythons, stop: stop.signal });
  await print(options.json ? `${JSON.stringify({ totals })}\n` : totalsLines(totals));
  return totals.findings > 0 ? 1 : 0;
}

/** A run stands for its dataset. */
function datasetPath(given: string): string {
  for (const folder of [given, join('runs', given)]) {
    if (!existsSync(join(folder, 'run.json'))) continue;
    const dataset = join(folder, 'dataset');
    if (existsSync(dataset)) return dataset;
    throw new UserError(`${folder}: the run has no dataset yet; resume it with coa-distill run`);
  }
  return given;
}

async function auditInto(
  audit: DatasetAudit,
  options: AuditCommandOptions,
  trainers: ReaderRequest,
): Promise<AuditTotals> {
  const tally = new AuditTally();
  for await (const { findings } of auditDataset(audit, tally)) {
    trainers.stop.throwIfAborted();
    await tell(findings, options);
  }
  for await (const findings of auditWithReaders(audit, trainers, tally)) await tell(findings, options);
  return tally.totals(audit.settings.tokenText.name);
}

async function tell(findings: readonly AuditFinding[], { json }: AuditCommandOptions): Promise<void> {
  const lines = findings.map((finding) => (json ? `${JSON.stringify(finding)}\n` : findingLines(finding)));
  await print(lines.join(''));
}

/** A finding as people read it: where, what, and the first token concerned between its neighbours. */
function findingLines({ kind, file, row, side, token, tokens, message, context }: AuditFinding): string {
  const place = [file, row === null ? '' : `row ${row}`, side ?? '', token === null ? '' : `token ${token}`];
  const more = tokens > 1 ? ` (${formatCount(tokens)} tokens)` : '';
  const line = printable(`${place.filter((part) => part !== '').join(', ')}: ${kind}: ${message}${more}`);
  if (context === null) return `${line}\n`;
  const quoted = [context.before, context.token, context.after].map((text) =>
    JSON.stringify(text).slice(1, -1),
  );
  return `${line}\n    ${printable(`${quoted[0]}>>>${quoted[1]}<<<${quoted[2]}`)}\n`;
}

function totalsLines(totals: AuditTotals): string {
  const lines = partsThatAgree(totals.parts).flatMap(partLines);
  const trainers = totals.trainers.map(
    ({ trainer, version, path, rows, rows_that_differ }) =>
      `${trainer} ${version} on ${path}: ${formatCount(rows)} rows, ${formatCount(rows_that_differ)} differ`,
  );
  const kinds = Object.entries(totals.by_kind).map(([kind, count]) => `  ${kind}: ${formatCount(count)}`);
  const verdict = totals.findings === 0 ? 'no difference found' : `${formatCount(totals.findings)} findings`;
  return `${[...lines, '', ...trainers, verdict, ...kinds].map(printable).join('\n')}\n`;
}

/** What formats that agree have in common, said once under their names. */
function partLines(parts: readonly AuditedPart[]): string[] {
  const { rows, checked, tokens, trained_tokens, by_tag } = parts[0]!;
  const looked = checked < rows ? `, ${formatCount(checked)} looked into` : '';
  const sums = `${formatCount(rows)} rows${looked}, ${formatCount(tokens)} tokens, ${percent(trained_tokens, tokens)} in the loss`;
  const names = parts.map(({ path, layout }) => `${path} (${layout})`);
  return [
    '',
    ...(names.length === 1 ? [`${names[0]}: ${sums}`] : [...names, `each: ${sums}`]),
    ...(tokens === 0 ? [] : formatTable(tagRows(by_tag)).map((line) => `  ${line}`)),
  ];
}

function tagRows(tags: AuditedPart['by_tag']): (string | number)[][] {
  const rows = Object.entries(tags).map(([tag, { tokens, trained }]) => [
    tag,
    formatCount(tokens),
    percent(trained, tokens),
  ]);
  return [['tag', 'tokens', 'in the loss'], ...rows];
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`;
}
