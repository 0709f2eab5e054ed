import { printable } from '../../base/printable.ts';
import type { JudgeAgreement } from '../../schemas/judgeCalibration.ts';
import { formatCount, formatTable, formatUsd } from '../format.ts';
import type { CalibrationTotals, Disagreement } from './calibration.ts';

/** Disagreements that are printed; `--json` prints all. */
const MAX_SHOWN = 50;

/** Characters of a text in the table of disagreements. */
const MAX_CELL_CHARACTERS = 40;

/** A calibration for people. */
export function renderCalibration(totals: CalibrationTotals, disagreements: readonly Disagreement[]): string {
  const { rows, correct, judges } = totals;
  const labels = `${formatCount(rows)} labelled answers: ${formatCount(correct)} correct, ${formatCount(rows - correct)} incorrect`;
  const table = formatTable([
    ['judge', 'scored', 'unscored', 'precision', 'recall', 'F1', 'kappa', 'tokens', 'cost'],
    ...judges.map(agreementRow),
  ]);
  return `${[labels, '', ...table, '', ...disagreementLines(disagreements)].join('\n')}\n`;
}

function agreementRow(agreement: JudgeAgreement): (string | number)[] {
  const { judge, unscored, precision, recall, f1, kappa, cost_usd } = agreement;
  const scored =
    agreement.true_correct + agreement.false_correct + agreement.true_incorrect + agreement.false_incorrect;
  const ratios = [precision, recall, f1, kappa].map((ratio) => (ratio === null ? '-' : ratio.toFixed(3)));
  const tokens = formatCount(agreement.prompt_tokens + agreement.completion_tokens);
  return [judge, scored, unscored, ...ratios, tokens, cost_usd === 0 ? '-' : formatUsd(cost_usd)];
}

function disagreementLines(disagreements: readonly Disagreement[]): string[] {
  const [first] = disagreements;
  if (!first) return ['No disagreement with the labels.'];
  const shown = disagreements.slice(0, MAX_SHOWN).map((one) => {
    const texts = [one.prediction, one.answers.join(' / '), one.why].map(cell);
    return [one.line, one.label, one.judged, ...texts];
  });
  const left = disagreements.length - shown.length;
  return [
    `Disagreements of ${first.judge} with the labels: ${formatCount(disagreements.length)}`,
    ...formatTable([['line', 'label', 'judged', 'prediction', 'gold', 'why'], ...shown]),
    ...(left === 0 ? [] : [`and ${formatCount(left)} more; --json prints all`]),
  ];
}

function cell(text: string): string {
  const line = printable(text.replace(/\s+/g, ' '));
  return line.length <= MAX_CELL_CHARACTERS
    ? line
    : `${line.slice(0, MAX_CELL_CHARACTERS - 1).toWellFormed()}…`;
}
