import { count, words } from '../../base/figures.ts';
import type { ReportData, ReportJob } from '../../schemas/report.ts';
import { balanceSection, datasetSection, rolloutsSection, rowsSection } from './datasetSections.ts';
import { share } from './figures.ts';
import { lineChart } from './histogram.ts';
import { type Html, html } from './html.ts';
import { reportPage } from './reportPage.ts';
import { funnelSection, plantedSection, settingsSection, summarySection } from './runSections.ts';
import {
  examplesSection,
  retriesNote,
  rolesSection,
  toolsSection,
  trajectoriesSection,
} from './trajectorySections.ts';
import { workersSection } from './workersSection.ts';

/**
 * A run's report: one HTML file that needs no network and no script, and whose policy allows neither. Everything that
 * was read is escaped: trajectories hold whatever the web holds.
 */
export function renderReport(data: ReportData): string {
  return reportPage(
    data.run,
    html`${summarySection(data)}
${funnelSection(data)}
${plantedSection(data.planted)}
${balanceSection(data.balance)}
${rowsSection(data.rows)}
${rolloutsSection(data.manifest?.rollouts)}
${rolesSection(data.roles)}
${toolsSection(data.tools)}
${retriesNote(data.retries)}
${workersSection(data.workers)}
${examplesSection(data)}
${trajectoriesSection(data)}
${datasetSection(data.manifest)}
${trainingSection(data.jobs)}
${settingsSection(data)}
<footer>Every record, with search: <code>coa-distill view ${data.run}</code> · Configuration <code>${data.config_hash}</code></footer>`,
  );
}

/** The run's training jobs: their curves, and what traces a result back to its rows. Nothing where there is none. */
function trainingSection(jobs: readonly ReportJob[]): Html | undefined {
  if (jobs.length === 0) return undefined;
  return html`<section>
<h2>Training</h2>
${jobs.map(jobPart)}
</section>`;
}

function jobPart({ record, curve }: ReportJob): Html {
  const { job, plan, attempts } = record;
  const { steps, validation } = curve;
  const { tokens, trained_tokens: trained } = plan.dataset;
  return html`<h3>${job}</h3>
<p><b>${outcomeOf(record)}</b> after ${count(curve.latest_step)} of ${count(plan.steps.total)} steps, ${count(attempts.length)} ${attempts.length === 1 ? 'attempt' : 'attempts'}. ${plan.trainer} through ${plan.launcher} on ${plan.model}.</p>
<div class="charts">
${lineChart(
  'Training loss by step',
  steps.map(({ step, loss }) => ({ step, value: loss })),
)}
${lineChart(
  'Learning rate by step',
  steps.map(({ step, learning_rate }) => ({ step, value: learning_rate })),
)}
${
  validation.length > 0 &&
  lineChart(
    'Validation loss by step',
    validation.map(({ step, loss }) => ({ step, value: loss })),
  )
}
</div>
<p>Loss mask: <b>${count(trained)}</b> of <b>${count(tokens)}</b> tokens are trained (${share(trained, tokens)}), in <b>${count(plan.dataset.rows)}</b> rows; the rest are prompts and what tools wrote.</p>
${identity(record)}
`;
}

/** What a result is traced by. */
function identity({ plan, config_hash, versions, coa_distill_version, attempts }: ReportJob['record']): Html {
  const rows: readonly [string, string | undefined][] = [
    ['Data (SHA-256 of manifest.json)', plan.dataset.manifest_sha256],
    ['Configuration of the run', config_hash],
    ['Preset', plan.preset === null ? undefined : `${plan.preset.name} (${plan.preset.source})`],
    [
      'Batch',
      `${plan.batch.rows_per_step} rows a step, ${plan.nodes} machines x ${plan.processes_per_node} processes`,
    ],
    ['Versions', versionsLine({ 'coa-distill': coa_distill_version, ...versions })],
    ['Started', attempts.map(({ started_at }) => started_at).join(', ')],
    ['Settings', JSON.stringify(plan.hyper_parameters)],
  ];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Identity of the job"><table>
<tbody>
${rows.map(
  ([name, value]) =>
    value !== undefined &&
    html`<tr><th scope="row">${name}</th><td><code>${value}</code></td></tr>
`,
)}
</tbody>
</table></div>`;
}

function versionsLine(versions: Readonly<Record<string, string>>): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}

function outcomeOf({ attempts }: ReportJob['record']): string {
  const end = attempts.at(-1)?.end;
  if (!end) return 'Not known to have ended';
  return end.cause === null ? capitalised(end.outcome) : `${capitalised(end.outcome)}: ${words(end.cause)}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
