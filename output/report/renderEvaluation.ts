import { count, dollars, percent } from '../../base/figures.ts';
import { sum } from '../../base/sum.ts';
import type {
  BenchmarkResult,
  EstimateRecord,
  EvaluationFile,
  Scores,
} from '../../schemas/evaluation/evaluationFile.ts';
import type { SampleResult, TaskResult } from '../../schemas/evaluation/sampleResult.ts';
import { groupScores, scoreFigures } from '../../schemas/evaluation/scoreFigures.ts';
import { share } from './figures.ts';
import { type Html, html } from './html.ts';
import { reportPage } from './reportPage.ts';

/** A benchmark's result with the tasks that are shown to be read. */
export interface ShownBenchmark {
  readonly result: BenchmarkResult;
  readonly tasks: readonly TaskResult[];
}

/** Samples shown of each kind of result. */
const SHOWN_A_KIND = 8;

/**
 * An evaluation as one HTML file that needs no network and no script: scores with their intervals drawn, why samples
 * have no answer, and samples to read.
 */
export function renderEvaluation(file: EvaluationFile, benchmarks: readonly ShownBenchmark[]): string {
  const { name, player, coa_distill_version } = file;
  const all = file.benchmarks.map((benchmark) => benchmark.all);
  const samples = sum(all.map((scores) => sampleCount(scores)));
  const unscored = sum(all.map((scores) => scores.samples.unscored));
  return reportPage(
    name,
    html`<header>
<p class="product">coa-distill ${coa_distill_version}</p>
<h1>${name}</h1>
<dl class="figures">
<div><dt>player</dt><dd>${player.model}<small>${player.backend}</small></dd></div>
<div><dt>benchmarks</dt><dd>${count(all.length)}</dd></div>
<div><dt>samples</dt><dd>${count(samples)}</dd></div>
<div><dt>unscored</dt><dd>${share(unscored, samples)}</dd></div>
<div><dt>cost</dt><dd>${dollars(sum(all.map(({ cost_usd }) => cost_usd)))}</dd></div>
</dl>
</header>
${benchmarks.map(benchmarkSection)}
<footer>95% intervals by task or cluster. Unscored: the endpoint, a tool or the judge failed; in no score.</footer>`,
  );
}

function benchmarkSection({ result, tasks }: ShownBenchmark): Html {
  const { name, all, too_many_unscored, samples_per_task } = result;
  const parts: (readonly [string, Scores])[] = [['all tasks', all], ...groupScores(result)];
  return html`<section>
<h2>${name}</h2>
<p class="note">${count(all.tasks)} tasks, ${count(samples_per_task)} ${samples_per_task === 1 ? 'sample' : 'samples'} each${leftOut(result)}</p>
${
  too_many_unscored &&
  html`<p class="bad">Too many samples are unscored: the score is between ${percent(all.bounds.low)} and ${percent(all.bounds.high)}.</p>`
}
${!too_many_unscored && scoresTable(parts)}
${reasonsTable(all)}
${behaviour(result)}
${useByRole(result)}
${doubleChecks(result)}
${samplesToRead(tasks)}
</section>`;
}

function leftOut({ left_out }: BenchmarkResult): string {
  const left = Object.entries(left_out).map(([why, tasks]) => `${count(tasks)} as ${why}`);
  return left.length === 0 ? '' : `; left out: ${left.join(', ')}`;
}

function scoresTable(parts: readonly (readonly [string, Scores])[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Scores"><table>
<thead><tr><th scope="col">Tasks</th><th scope="col">Figure</th><th scope="col" class="number">Percent</th><th scope="col" class="wide">95% interval</th><th scope="col" class="number">Tasks scored</th></tr></thead>
<tbody>
${parts.flatMap(([name, scores]) => scoreFigures(scores).map(([figure, estimate]) => scoreRow(name, figure, estimate, scores)))}
</tbody></table></div>`;
}

function scoreRow(name: string, figure: string, estimate: EstimateRecord, scores: Scores): Html {
  const { value, low, high } = estimate;
  const label = low === null || high === null ? 'not known' : `${percent(low)} to ${percent(high)}`;
  return html`<tr><th scope="row">${name}</th><td>${figure}</td><td class="number">${percent(value)}</td><td class="wide">${intervalBar(estimate, label)}<small>${label}</small></td><td class="number">${count(scores.scored_tasks)}</td></tr>
`;
}

/** A share on a line from 0 to 100 percent, with its interval as a bar. */
function intervalBar({ value, low, high }: EstimateRecord, label: string): Html {
  const x = (of: number) => Math.round(Math.min(1, Math.max(0, of)) * 2_000) / 10;
  const [from, to] = [x(low ?? value), x(high ?? value)];
  return html`<svg viewBox="0 0 200 14" role="img" aria-label="${label}"><rect class="track" x="0" y="6" width="200" height="2"/><rect class="bar" x="${from}" y="3" width="${Math.max(1, to - from)}" height="8" rx="2" opacity="0.45"/><rect class="bar" x="${Math.max(0, x(value) - 1)}" y="1" width="2" height="12"/></svg>`;
}

function reasonsTable({ reasons, samples }: Scores): Html {
  const rows = Object.entries(reasons).sort(([, a], [, b]) => b - a);
  return html`<p class="note">${count(samples.right)} right, ${count(samples.wrong)} wrong, ${count(samples.unscored)} unscored${rows.length > 0 && html`; without an answer or a verdict: ${rows.map(([reason, of]) => html`<span class="chip failed">${reason} ${count(of)}</span> `)}`}</p>`;
}

/** What went wrong in steps of a CoA model, and whether trajectories keep the grammar. */
function behaviour({ grammar: { kept, broken }, incidents }: BenchmarkResult): Html {
  const rows = Object.entries(incidents);
  return html`<h3>How it behaved</h3>
<p class="note">${count(kept)} of ${count(kept + broken)} judged trajectories keep the grammar</p>
${
  rows.length > 0 &&
  html`<table><thead><tr><th scope="col">In its steps</th><th scope="col" class="number">Samples</th><th scope="col" class="number">Times</th></tr></thead>
<tbody>${rows.map(([name, { samples, times }]) => html`<tr><th scope="row">${name}</th><td class="number">${count(samples)}</td><td class="number">${count(times)}</td></tr>`)}</tbody></table>`
}`;
}

function useByRole({ use_by_role }: BenchmarkResult): Html | undefined {
  const rows = Object.entries(use_by_role);
  if (rows.length === 0) return undefined;
  return html`<h3>What each role took</h3>
<table><thead><tr><th scope="col">Role</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Tokens read</th><th scope="col" class="number">Tokens written</th><th scope="col" class="number">Cost</th></tr></thead>
<tbody>${rows.map(([role, { calls, prompt_tokens, completion_tokens, cost_usd }]) => html`<tr><th scope="row">${role}</th><td class="number">${count(calls)}</td><td class="number">${count(prompt_tokens)}</td><td class="number">${count(completion_tokens)}</td><td class="number">${dollars(cost_usd)}</td></tr>`)}</tbody></table>`;
}

function doubleChecks({ double_check }: BenchmarkResult): Html | undefined {
  if (double_check.length === 0) return undefined;
  return html`<h3>Is the player right to be sure?</h3>
<table><thead><tr><th scope="col">First double check</th><th scope="col" class="number">Samples</th><th scope="col" class="number">Right</th></tr></thead>
<tbody>${double_check.map(({ score, samples, right }) => html`<tr><th scope="row">${score} of 4</th><td class="number">${count(samples)}</td><td class="number">${share(right, samples)}</td></tr>`)}</tbody></table>`;
}

/** The first samples of each kind: wrong ones first, for these are read. */
function samplesToRead(tasks: readonly TaskResult[]): Html[] {
  return (['wrong', 'unscored', 'right'] as const).flatMap((kind) => {
    const found = tasks.flatMap((task) =>
      task.samples.filter(({ result }) => result === kind).map((sample) => ({ task, sample })),
    );
    if (found.length === 0) return [];
    return [
      html`<details class="kind"><summary>${kind}: ${count(found.length)} samples</summary><ul>
${found.slice(0, SHOWN_A_KIND).map(({ task, sample }) => sampleItem(task, sample))}
</ul></details>`,
    ];
  });
}

function sampleItem({ question, answers, task_id }: TaskResult, sample: SampleResult): Html {
  const { answer, reason } = sample;
  return html`<li><span class="question">${question.slice(0, MAX_SHOWN_CHARS)}</span><br>
${answer === null ? html`<span class="chip failed">${reason ?? ''}</span>` : html`<code>${answer.slice(0, MAX_SHOWN_CHARS)}</code>`} <span class="note">expected ${answers.join(' | ').slice(0, MAX_SHOWN_CHARS)}; ${task_id}, sample ${sample.sample}</span></li>
`;
}

/** Of a question or an answer; a program goes on for pages. */
const MAX_SHOWN_CHARS = 600;

function sampleCount({ samples: { right, wrong, unscored } }: Scores): number {
  return right + wrong + unscored;
}
