import { percent } from '../base/figures.ts';
import { totalOf } from '../base/sum.ts';
import type { BenchmarkResult, EstimateRecord, EvaluationFile, Scores } from './records/evaluationFile.ts';
import { groupScores } from './records/scoreFigures.ts';

/** Percentage with its interval: `55.3 (45.7 to 64.6)`. */
export function percentWithInterval(estimate: EstimateRecord | null | undefined): string {
  return estimate ? figureOf(estimate, percent) : '';
}

/** Number with its interval: `1,204 (1,011 to 1,397)`. */
export function amount(estimate: EstimateRecord | null): string {
  const digits = (value: number) =>
    value.toLocaleString('en-US', { maximumSignificantDigits: 4, maximumFractionDigits: 6 });
  return estimate ? figureOf(estimate, digits) : '';
}

function figureOf({ value, low, high }: EstimateRecord, digits: (value: number) => string): string {
  return low === null || high === null
    ? digits(value)
    : `${digits(value)} (${digits(low)} to ${digits(high)})`;
}

/** Column heads of {@link scoreRow}. */
export const scoreHeads = [
  '',
  'tasks',
  'score',
  'best of k',
  'majority',
  'unscored',
  'tokens written a sample',
  'tool calls a sample',
] as const;

/** Legend of {@link scoreRow}. */
export const scoreNote =
  'Score, best of k and majority in percent; tokens that the model wrote and calls of tools as means; 95% intervals by task or cluster in brackets';

/** Table cells for a benchmark or a group; hides a score that is not meaningful. */
function scoreRow(name: string, scores: Scores, isHidden: boolean): string[] {
  const { samples, pass_at, best_of_n } = scores;
  const all = samples.right + samples.wrong + samples.unscored;
  const ks = Object.keys(pass_at).filter((k) => Number(k) > 1);
  return [
    name,
    String(scores.tasks),
    isHidden ? 'too many unscored' : percentWithInterval(scores.score),
    isHidden
      ? ''
      : [
          ...ks.map((k) => `pass@${k} ${percentWithInterval(pass_at[k])}`),
          ...(best_of_n ? [`picked ${percentWithInterval(best_of_n)}`] : []),
        ].join(', '),
    isHidden ? '' : percentWithInterval(scores.majority),
    all === 0 ? '0' : `${((100 * samples.unscored) / all).toFixed(1)}%`,
    amount(scores.completion_tokens),
    amount(scores.tool_calls),
  ];
}

/** Rows of a benchmark: all tasks, groups, then tasks by contamination. */
export function benchmarkRows(result: BenchmarkResult): string[][] {
  const { name, all, too_many_unscored } = result;
  return [
    scoreRow(name, all, too_many_unscored),
    ...groupScores(result).map(([group, scores]) => scoreRow(`${name}: ${group}`, scores, too_many_unscored)),
  ];
}

/** Renders the result as a Markdown table for a paper or a model card. Percent with 95% intervals. */
export function resultsMarkdown(file: EvaluationFile): string {
  const rows = file.benchmarks.flatMap(benchmarkRows);
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  const { backend, model } = file.player;
  return [
    `${cell(model)} (${backend}), by coa-distill ${file.coa_distill_version}. ${scoreNote}.`,
    '',
    line(scoreHeads),
    line(scoreHeads.map(() => '---')),
    ...rows.map(line),
    '',
    ...file.benchmarks.flatMap((benchmark) => [
      `**${cell(benchmark.name)}**`,
      '',
      ...[['behaviour', 'samples', 'times'], ['---', '---', '---'], ...behaviourRows(benchmark)].map(line),
      '',
      ...[
        ['role', 'calls', 'tokens read', 'tokens written', 'US dollars'],
        ['---', '---', '---', '---', '---'],
        ...useRows(benchmark),
      ].map(line),
      '',
    ]),
  ].join('\n');
}

/** Behaviour of the player: kind, number of samples, occurrences. */
function behaviourRows({ all, grammar, incidents }: BenchmarkResult): string[][] {
  const { right, wrong, unscored } = all.samples;
  const failed = Object.entries(all.reasons);
  const answered = right + wrong + unscored - totalOf(all.reasons);
  return [
    ['ended with an answer that was judged', String(answered), ''],
    ...failed.map(([reason, samples]) => [`ended as ${reason}`, String(samples), '']),
    ['kept the grammar, of those judged', String(grammar.kept), ''],
    ['broke the grammar, of those judged', String(grammar.broken), ''],
    ...Object.entries(incidents).map(([name, { samples, times }]) => [name, String(samples), String(times)]),
  ];
}

function useRows({ use_by_role }: BenchmarkResult): string[][] {
  return Object.entries(use_by_role).map(([role, { calls, prompt_tokens, completion_tokens, cost_usd }]) => [
    role,
    String(calls),
    String(prompt_tokens),
    String(completion_tokens),
    cost_usd.toFixed(4),
  ]);
}

/** Escapes text for a table cell. */
function cell(text: string): string {
  return text.replace(/[\\|`*_[\]<>]/g, (character) => `\\${character}`).replace(/\s+/g, ' ');
}
