import { statSync } from 'node:fs';
import { printable } from '../base/printable.ts';
import { openCheck } from '../operations/checkFiles.ts';
import { checkDataset } from '../output/check/checkDataset.ts';
import { CheckTally } from '../output/check/checkTally.ts';
import type { SourceRow } from '../output/check/datasetFiles.ts';
import {
  type CheckedPart,
  type CheckTotals,
  type Finding,
  type RuleName,
  ruleTable,
} from '../output/check/rules.ts';
import { formatBytes, formatCount, formatTable } from './format.ts';
import { LiveView } from './liveView.ts';
import { print } from './outputMode.ts';
import { stopOnSignals } from './stopOnSignals.ts';

export interface CheckCommandOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly tokenizer?: string;
  readonly observationTag?: string;
  readonly sample?: number;
  readonly json?: true;
}

/** Checks runs and files. Returns the exit code: 1 if a rule of severity error was broken. */
export async function runCheck(paths: readonly string[], options: CheckCommandOptions): Promise<number> {
  const tally = new CheckTally();
  const checks = await Promise.all(paths.map((path) => openCheck(path, options)));
  using stop = stopOnSignals({ resume: 'the same command' });
  // Not live, since findings go to the terminal too.
  const view = new LiveView(undefined, process.stderr, false);
  for (const check of checks) {
    for (const problem of check.passedOver) view.note(printable(`passed over: ${problem}`));
    for await (const { findings, source } of checkDataset(check, tally)) {
      stop.signal.throwIfAborted();
      await print(
        findings.map((each) => (options.json ? `${JSON.stringify(each)}\n` : findingLines(each))).join(''),
      );
      if (source && view.isDue()) view.show([progressLine(source)]);
    }
  }
  const { totals } = tally;
  await print(options.json ? `${JSON.stringify({ totals })}\n` : totalsLines(totals));
  return totals.errors > 0 ? 1 : 0;
}

function progressLine({ file, row, bytesRead }: SourceRow): string {
  const { size } = statSync(file);
  const percent = Math.floor((bytesRead / size) * 100);
  return printable(
    `${file}: ${percent} % (${formatBytes(bytesRead)} of ${formatBytes(size)}), ${formatCount(row)} rows`,
  );
}

/** Formats a finding: place, rule, message, and the first token concerned with its neighbours. */
function findingLines(finding: Finding): string {
  const { file, row, side, file_line, line, column, token, tokens, severity, rule, message, context } =
    finding;
  const place = [
    file,
    row === null ? '' : `row ${row}${file_line === null ? '' : ` (line ${file_line})`}`,
    side ?? '',
    line === null ? '' : `text ${line}:${column}`,
    token === null ? '' : `token ${token}`,
  ];
  const more = tokens > 1 ? ` (${formatCount(tokens)} tokens)` : '';
  const told = `${place.filter((part) => part !== '').join(', ')}: ${severity} ${rule}: ${message}${more}`;
  if (context === null) return `${printable(told)}\n`;
  const [before, at, after] = [context.before, context.token, context.after].map((text) =>
    JSON.stringify(text).slice(1, -1),
  );
  return `${printable(told)}\n    ${printable(`${before}>>>${at}<<<${after}`)}\n`;
}

function totalsLines({ parts, by_rule, findings, errors }: CheckTotals): string {
  const rules = Object.entries(by_rule).map(([rule, count]) => [
    rule,
    ruleTable[rule as RuleName].severity,
    formatCount(count),
  ]);
  const lines = [
    ...partsThatAgree(parts).flatMap(partLines),
    '',
    ...(rules.length === 0 ? [] : formatTable([['rule', 'severity', 'findings'], ...rules])),
    findings === 0
      ? 'nothing found'
      : `${counted(errors, 'error')}, ${counted(findings - errors, 'warning')}`,
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

/** Groups parts with equal counts: all formats of a dataset, unless one differs. */
function partsThatAgree(parts: readonly CheckedPart[]): CheckedPart[][] {
  const countsOf = ({ rows, checked, tokens, by_tag, profiles }: CheckedPart) =>
    JSON.stringify([rows, checked, tokens, by_tag, profiles]);
  return [...Map.groupBy(parts, countsOf).values()];
}

function partLines(parts: readonly CheckedPart[]): string[] {
  const { rows, checked, tokens, trained_tokens, by_tag, profiles, guessed } = parts[0]!;
  const sums = [
    counted(rows, 'row'),
    ...(checked < rows ? [`${formatCount(checked)} with their tokens`] : []),
    `${formatCount(tokens)} tokens`,
    `${percent(trained_tokens, tokens)} in the loss`,
  ].join(', ');
  const rules = [...new Set(parts.flatMap(({ loss_rule }) => loss_rule ?? []))];
  const names = parts.map(({ path, layout }) => `${path} (${layout})`);
  const shares = Object.entries(by_tag).map(([tag, share]) => [
    tag,
    formatCount(share.tokens),
    percent(share.trained, share.tokens),
  ]);
  const known = Object.entries(profiles).map(([profile, count]) => `${profile} ${formatCount(count)}`);
  const table = shares.length === 0 ? [] : formatTable([['tag', 'tokens', 'in the loss'], ...shares]);
  return [
    '',
    ...(names.length === 1 ? [`${names[0]}: ${sums}`] : [...names, `each: ${sums}`]),
    ...rules.map((rule) => `  in the loss: ${rule}`),
    ...(known.length === 0 ? [] : [`  profiles: ${known.join(', ')} (${formatCount(guessed)} guessed)`]),
    ...table.map((line) => `  ${line}`),
  ];
}

function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`;
}
