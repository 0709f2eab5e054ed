import type { ReportData } from '../../schemas/report.ts';
import { words } from './figures.ts';
import { type Html, html } from './html.ts';

/** The first few drops and failures of each kind, with their evidence. */
export function examplesSection(examples: ReportData['examples']): Html {
  if (examples.length === 0) {
    return html`<section><h2>Drops and failures</h2><p class="empty">No record was dropped or failed.</p></section>`;
  }
  const kinds = Map.groupBy(examples, (example) => `${example.stage}: ${words(example.kind)}`);
  return html`<section>
<h2>Drops and failures</h2>
<p class="note">The first few of each kind; the ledgers of the run have all of them.</p>
${[...kinds].map(([title, own]) => kindList(title, own))}
</section>`;
}

function kindList(title: string, examples: ReportData['examples']): Html {
  return html`<details class="kind"><summary>${title} <small>${examples.length} shown</small></summary>
<ul>${examples.map((example) => html`<li><code>${example.task_id}</code><pre>${example.message}</pre></li>`)}</ul>
</details>
`;
}
