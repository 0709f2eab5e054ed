import type { ReportData } from '../../schemas/report.ts';
import { count, median, share, sum } from './figures.ts';
import { histogram } from './histogram.ts';
import { type Html, html } from './html.ts';

type Rows = ReportData['rows'];

/** The kept rows: how long they are, how much of them is trained, how often agents met tools. */
export function rowsSection(rows: Rows): Html {
  if (rows.length === 0) return html`<section><h2>Rows</h2><p class="empty">No row was kept.</p></section>`;
  return html`<section>
<h2>Rows</h2>
<div class="charts">
${histogram(
  'Tokens a row',
  'tokens',
  rows.map((row) => row.tokens),
)}
${histogram(
  'Trained tokens a row',
  'tokens',
  rows.map((row) => row.trained_tokens),
)}
${histogram(
  'Agent-tool interactions a row',
  'interactions',
  rows.map((row) => row.interactions),
)}
</div>
<div class="scroll" tabindex="0" role="region" aria-label="Rows by profile"><table>
<thead><tr><th scope="col">Profile</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Trained</th><th scope="col" class="number">Median tokens</th><th scope="col" class="number">Median interactions</th></tr></thead>
<tbody>
${[...byProfile(rows)].map(([profile, own]) => profileRow(profile, own))}
</tbody>
</table></div>
</section>`;
}

/** In the order in which profiles first occur. */
function byProfile(rows: Rows): Map<string, Rows> {
  return Map.groupBy(rows, (row) => row.profile);
}

function profileRow(profile: string, rows: Rows): Html {
  const tokens = sum(rows.map((row) => row.tokens));
  const trained = sum(rows.map((row) => row.trained_tokens));
  const cells = [
    count(rows.length),
    count(tokens),
    share(trained, tokens),
    count(median(rows.map((row) => row.tokens))),
    count(median(rows.map((row) => row.interactions))),
  ];
  return html`<tr><th scope="row">${profile}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>
`;
}
