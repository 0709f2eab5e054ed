import type { ReportData } from '../../schemas/report.ts';
import { count, dollars, share, sum } from './figures.ts';
import { type Html, html } from './html.ts';

/** The page's head: which run this is, and its figures in one line. */
export function summarySection(data: ReportData): Html {
  const tasks = data.funnel[0]?.entered ?? 0;
  const tokens = sum(data.rows.map((row) => row.tokens));
  const trained = sum(data.rows.map((row) => row.trained_tokens));
  const cost = sum(data.roles.map((role) => role.cost_usd));
  return html`<header>
<p class="product">coa-distill ${data.coa_distill_version}</p>
<h1>${data.run}</h1>
<dl class="figures">
${figure('tasks', count(tasks))}${figure('rows kept', count(data.rows.length), tasks > 0 ? share(data.rows.length, tasks) : undefined)}${figure('tokens', count(tokens))}${figure('trained', share(trained, tokens), tokens > 0 ? `${count(trained)} tokens` : undefined)}${figure('model calls', count(sum(data.roles.map((role) => role.calls))))}${figure('cost', dollars(cost), data.rows.length > 0 && cost > 0 ? `${dollars(cost / data.rows.length)} a row` : undefined)}</dl>
</header>`;
}

function figure(name: string, value: string, detail?: string): Html {
  return html`<div><dt>${name}</dt><dd>${value}${detail && html` <small>${detail}</small>`}</dd></div>
`;
}
