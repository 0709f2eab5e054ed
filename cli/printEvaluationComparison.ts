import { percent } from '../base/figures.ts';
import { printable } from '../base/printable.ts';
import {
  type BenchmarkComparison,
  compareEvaluations,
  type EvaluationComparison,
} from '../evaluation/compareEvaluations.ts';
import { percentWithInterval } from '../evaluation/resultsMarkdown.ts';
import { formatCount, formatTable } from './format.ts';

export async function printEvaluationComparison(
  folderA: string,
  folderB: string,
  { json }: { readonly json?: true | undefined },
): Promise<void> {
  const comparison = await compareEvaluations(folderA, folderB);
  console.log(json ? JSON.stringify(comparison) : comparisonLines(comparison).map(printable).join('\n'));
}

function comparisonLines({ a, b, benchmarks }: EvaluationComparison): string[] {
  const heads = ['', 'tasks', `${a} ahead by`, 'wins', 'ties', 'losses', 'p', 'would be seen'];
  const short = (value: number | null) => (value === null ? '' : value.toPrecision(2));
  return [
    ...formatTable([
      heads,
      ...benchmarks.map(({ benchmark, tasks, difference, wins, ties, losses, p, least_detectable }) => [
        benchmark,
        tasks,
        percentWithInterval(difference),
        wins,
        ties,
        losses,
        short(p),
        least_detectable === null ? '' : `${percent(least_detectable)} points`,
      ]),
    ]),
    '',
    ...benchmarks.map((one) => verdict(a, b, one)),
  ];
}

function verdict(a: string, b: string, { benchmark, difference, left_out }: BenchmarkComparison): string {
  const apart =
    left_out > 0 ? ` (${formatCount(left_out)} tasks are not in both, or unscored: left out)` : '';
  if (difference === null) return `${benchmark}: no task that both have scored samples of${apart}`;
  const { low, high } = difference;
  if (low > 0) return `${benchmark}: ${a} is ahead${apart}`;
  if (high < 0) return `${benchmark}: ${b} is ahead${apart}`;
  return `${benchmark}: the difference can be chance${apart}`;
}
