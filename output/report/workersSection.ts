import { count, dollars } from '../../base/figures.ts';
import type { WorkersView, WorkerView } from '../../schemas/run/workersView.ts';
import { share } from './figures.ts';
import { type Html, html } from './html.ts';

/** Who worked on a run of many machines, against which limits, and how its budget was shared out; nothing for another run. */
export function workersSection(view: WorkersView | null): Html | undefined {
  if (view === null) return undefined;
  return html`<section>
<h2>Workers</h2>
<p>${view.summary}</p>
${view.workers.length > 0 && workersTable(view.workers)}
${view.rates.length > 0 && ratesTable(view.rates)}
${view.purse.map(purseLine)}
</section>`;
}

function workersTable(workers: readonly WorkerView[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Workers"><table>
<thead><tr><th scope="col">Worker</th><th scope="col">Host</th><th scope="col">Ended</th><th scope="col" class="number">Records</th><th scope="col" class="number">Shards</th><th scope="col" class="number">Leases lost</th><th scope="col" class="number">Calls</th><th scope="col" class="number">A minute</th><th scope="col" class="number">CPU</th><th scope="col" class="number">Spent</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>
${workers.map(workerRow)}
</tbody>
</table></div>`;
}

function workerRow(one: WorkerView): Html {
  const spent = one.cost_usd > 0 ? dollars(one.cost_usd) : `${count(one.tokens)} tokens`;
  return html`<tr><th scope="row">${one.name}</th><td>${one.host}</td><td>${one.state}</td><td class="number">${count(one.records)}</td><td class="number">${count(one.shards)}</td><td class="number">${count(one.lost_leases)}</td><td class="number">${count(one.calls)}</td><td class="number">${count(one.calls_a_minute)}</td><td class="number">${(one.cpu_ms / 1000).toFixed(1)} s</td><td class="number">${spent}</td><td class="number">${share(one.share, 1)}</td></tr>
`;
}

function ratesTable(rates: WorkersView['rates']): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Limits that the workers kept together"><table>
<thead><tr><th scope="col">Limit</th><th scope="col">Of</th><th scope="col" class="number">A minute</th><th scope="col" class="number">Most in any minute</th><th scope="col" class="number">Used</th></tr></thead>
<tbody>
${rates.map(
  ({ provider, counts, per_minute, most_in_minute }) =>
    html`<tr><th scope="row">${provider}</th><td>${counts}</td><td class="number">${count(per_minute)}</td><td class="number">${count(most_in_minute)}</td><td class="number">${share(most_in_minute, per_minute)}</td></tr>
`,
)}
</tbody>
</table></div>`;
}

function purseLine({ counts, cap, spent, blocks }: WorkersView['purse'][number]): Html {
  const amount = (value: number) => (counts === 'usd' ? dollars(value) : `${count(value)} tokens`);
  return html`<p>Workers spent ${amount(spent)} of the cap of ${amount(cap)}, which was handed out in ${count(blocks)} ${blocks === 1 ? 'block' : 'blocks'}.</p>
`;
}
