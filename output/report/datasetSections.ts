import { Counts } from '../../base/counts.ts';
import { count } from '../../base/figures.ts';
import type { Manifest, ManifestFile } from '../../schemas/manifest.ts';
import { preferenceNotice } from '../../schemas/preferenceCounts.ts';
import type { ProfileRows } from '../../schemas/report.ts';
import { memberNotices, type RolloutRates, rolloutNotice } from '../../schemas/rolloutRates.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { fewTestsNotice } from '../../schemas/tasksByTests.ts';
import { median, mergedCounts, share, sumOfCounts } from './figures.ts';
import { histogram } from './histogram.ts';
import { type Html, html } from './html.ts';

/** What the dataset folder holds and what it was made with. */
export function datasetSection(manifest: Manifest | null): Html {
  if (manifest === null) {
    return html`<section><h2>Dataset</h2><p class="empty">The dataset has not been written.</p></section>`;
  }
  const {
    tokenizer,
    chat_template,
    cutoff_len,
    straddling_tokens,
    splits,
    files,
    tasks_by_tests,
    preference,
  } = manifest;
  const fewTests = fewTestsNotice(tasks_by_tests ?? {});
  return html`<section>
<h2>Dataset</h2>
${
  fewTests === undefined
    ? ''
    : html`<p><b>Few tests.</b> ${fewTests}.</p>
`
}<p>Tokenizer <b>${tokenizer.name}</b> (${tokenizer.encoder}, <code>${tokenizer.sha256.slice(0, 12)}</code>), chat markup <b>${chat_template.name}</b>, rows of at most <b>${count(cutoff_len)}</b> tokens, <b>${count(straddling_tokens)}</b> tokens across a segment border.</p>
<p><b>${count(splits.train)}</b> rows for training, <b>${count(splits.validation)}</b> for validation. ${madeToFit(manifest)}</p>
${
  preference
    ? html`<p>${preferenceNotice(preference)}.</p>
`
    : ''
}<div class="scroll" tabindex="0" role="region" aria-label="Files of the dataset"><table>
<thead><tr><th scope="col">File</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Trained tokens</th><th scope="col" class="number">Bytes</th><th scope="col">SHA-256</th></tr></thead>
<tbody>
${files.map(fileRow)}
</tbody>
</table></div>
</section>`;
}

/** How often the rollouts of a task were right; empty for a run with one rollout a task. */
export function rolloutsSection(rates: RolloutRates | undefined): Html | string {
  if (rates === undefined) return '';
  const percent = new Counts<number>();
  for (const { right, scored, tasks } of rates.tasks_by_right) {
    if (scored > 0) percent.add(Math.round((100 * right) / scored), tasks);
  }
  return html`<section>
<h2>Rollouts</h2>
<p>${rolloutNotice(rates)}. An unscored rollout is in no rate.</p>
${memberNotices(rates).map((line) => html`<p>${line}</p>\n`)}
<div class="charts">
${histogram('Right rollouts of a task, in percent of those that were judged', 'percent', percent, 'tasks')}
</div>
</section>`;
}

/** What was done to texts so that the rows fit the model, in one sentence. */
function madeToFit({ cut_rows, disarmed_tokens, repaired_texts }: Manifest): Html {
  return html`Rows cut to fit: <b>${count(cut_rows)}</b>; control tokens escaped in texts: <b>${count(disarmed_tokens)}</b>; texts repaired as Unicode: <b>${count(repaired_texts)}</b>.`;
}

function fileRow(file: ManifestFile): Html {
  const { path, rows, trained_tokens, bytes, sha256 } = file;
  const figure = (value: number | null) =>
    html`<td class="number">${value === null ? '' : count(value)}</td>`;
  return html`<tr><th scope="row"><code>${path}</code></th>${figure(rows)}${figure(trained_tokens)}${figure(bytes)}<td><code title="${sha256}">${sha256.slice(0, 12)}</code></td></tr>
`;
}

/** The kept rows: how long they are, how much of them is trained, how often agents met tools. */
export function rowsSection(rows: readonly ProfileRows[]): Html {
  if (rows.length === 0) return html`<section><h2>Rows</h2><p class="empty">No row was kept.</p></section>`;
  const counted = (figure: 'tokens' | 'trained_tokens' | 'interactions') =>
    mergedCounts(rows.map((own) => own[figure]));
  return html`<section>
<h2>Rows</h2>
<div class="charts">
${histogram('Tokens a row', 'tokens', counted('tokens'))}
${histogram('Trained tokens a row', 'tokens', counted('trained_tokens'))}
${histogram('Agent-tool interactions a row', 'interactions', counted('interactions'))}
</div>
<div class="scroll" tabindex="0" role="region" aria-label="Rows by profile"><table>
<thead><tr><th scope="col">Profile</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Trained</th><th scope="col" class="number">Median tokens</th><th scope="col" class="number">Median interactions</th></tr></thead>
<tbody>
${rows.map(profileRow)}
</tbody>
</table></div>
</section>`;
}

function profileRow({ profile, rows, tokens, trained_tokens, interactions }: ProfileRows): Html {
  const sum = sumOfCounts(tokens);
  const cells = [
    count(rows),
    count(sum),
    share(sumOfCounts(trained_tokens), sum),
    count(median(tokens)),
    count(median(interactions)),
  ];
  return html`<tr><th scope="row">${profile}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>
`;
}

/** Groups shown of one dimension; a data set may have thousands of sources. */
const MAX_GROUPS = 30;

/** How many records of each group there were before and after balancing; nothing for a run that does not balance. */
export function balanceSection(table: BalanceTable | null): Html {
  if (table === null) return html``;
  return html`<section>
<h2>Balance</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Balance"><table>
<thead><tr><th scope="col">By</th><th scope="col">Group</th><th scope="col" class="number">Before</th><th scope="col" class="number">After</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Weight</th></tr></thead>
<tbody>
${table.map(dimensionRows)}
</tbody>
</table></div>
</section>`;
}

function dimensionRows({ dimension, groups }: BalanceTable[number]): Html[] {
  const before = groups.reduce((sum, group) => sum + group.before, 0);
  const after = groups.reduce((sum, group) => sum + group.after, 0);
  const rows = groups.slice(0, MAX_GROUPS).map((group) => {
    const cells = [
      html`${count(group.before)} <small>${share(group.before, before)}</small>`,
      html`${count(group.after)} <small>${share(group.after, after)}</small>`,
      html`${count(group.rows)}`,
      html`${group.weight.toFixed(1)}`,
    ];
    return html`<tr><th scope="row">${dimension}</th><td>${group.group}</td>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>
`;
  });
  const more = groups.length - MAX_GROUPS;
  if (more <= 0) return rows;
  return [
    ...rows,
    html`<tr><th scope="row">${dimension}</th><td colspan="5">and ${count(more)} more groups</td></tr>
`,
  ];
}
