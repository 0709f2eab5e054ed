import { count, dollars, words } from '../../base/figures.ts';
import { sum, totalOf } from '../../base/sum.ts';
import { ANY_PROFILE } from '../../schemas/config/target.ts';
import { type FunnelRow, type PlantedRow, type ReportData, rolloutsOfTasks } from '../../schemas/report.ts';
import { share, sumOfCounts } from './figures.ts';
import { type Html, html } from './html.ts';

/** The page's head: which run this is, and its figures in one line. */
export function summarySection(data: ReportData): Html {
  const cost = sum(data.roles.map((role) => role.cost_usd));
  const kept = sum(data.rows.map((own) => own.rows));
  return html`<header>
<p class="product">coa-distill ${data.coa_distill_version}</p>
<h1>${data.run}</h1>
<dl class="figures">
${keptFigures(data)}${durationFigure(data)}${figure('model calls', count(sum(data.roles.map((role) => role.calls))), retriesText(data))}${figure('cost', dollars(cost), kept > 0 && cost > 0 ? `${dollars(cost / kept)} a row` : undefined)}</dl>
${data.models.length > 0 && html`<p class="note">Models: ${data.models.join(', ')}</p>`}
</header>`;
}

function durationFigure({ duration_ms }: ReportData): Html | false {
  if (duration_ms === null) return false;
  const minutes = Math.round(duration_ms / 60_000);
  const long = `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const short = duration_ms < 60_000 ? `${(duration_ms / 1_000).toFixed(1)} s` : `${minutes} min`;
  return figure('worked for', minutes < 60 ? short : long);
}

function retriesText({ retries }: ReportData): string | undefined {
  const times = totalOf(retries);
  return times > 0 ? `${count(times)} sent again` : undefined;
}

/** What the run was started with. */
export function settingsSection({ settings }: ReportData): Html {
  return html`<section>
<h2>Settings</h2>
<details><summary>All settings</summary><pre tabindex="0" aria-label="All settings">${JSON.stringify(settings, null, 2)}</pre></details>
</section>`;
}

/** Only a finished dataset has rows; before it, what the last stage handed on is all that can be counted. */
function keptFigures({ funnel, rows, manifest, target }: ReportData): Html[] {
  const worked = target && totalOf(target.windows.at(-1)!.tasks);
  const tasks = worked ?? funnel[0]?.entered ?? 0;
  const several = rolloutsOfTasks(funnel, target);
  const all = several?.rollouts ?? tasks;
  const ofTasks = (kept: number) => (all > 0 ? share(kept, all) : undefined);
  const last = funnel.at(-1);
  const entered = [
    figure('tasks', count(tasks)),
    ...(several ? [figure('rollouts', count(several.rollouts), `of ${count(several.tasks)} tasks`)] : []),
  ];
  if (manifest === null && last)
    return [...entered, figure(`kept up to ${last.stage}`, count(last.emitted), ofTasks(last.emitted))];
  const kept = sum(rows.map((own) => own.rows));
  const tokens = sum(rows.map((own) => sumOfCounts(own.tokens)));
  const trained = sum(rows.map((own) => sumOfCounts(own.trained_tokens)));
  return [
    ...entered,
    figure('rows kept', count(kept), several ? ofTheirTasks(manifest) : ofTasks(kept)),
    figure('tokens', count(tokens)),
    figure('trained', share(trained, tokens), tokens > 0 ? `${count(trained)} tokens` : undefined),
    ...targetFigures(target),
  ];
}

/** Of how many tasks the rows are: a share of rollouts would say little where one a task is chosen. */
function ofTheirTasks(manifest: ReportData['manifest']): string | undefined {
  return manifest?.tasks === undefined ? undefined : `of ${count(manifest.tasks)} tasks`;
}

function targetFigures(target: ReportData['target']): Html[] {
  const held = target?.windows.findLast((window) => window.held)?.held;
  if (!target || !held) return [];
  return Object.entries(target.wanted).map(([key, wanted]) =>
    figure(
      key === ANY_PROFILE ? 'target' : `target, ${key}`,
      `${count(held[key] ?? 0)} of ${count(wanted)} ${target.unit}`,
      `${count(target.windows.length)} windows`,
    ),
  );
}

function figure(name: string, value: string, detail?: string): Html {
  return html`<div><dt>${name}</dt><dd>${value}${detail && html` <small>${detail}</small>`}</dd></div>
`;
}

/** What became of the records, stage by stage: bars drawn to the scale of the largest stage, and every reason. */
export function funnelSection({ funnel, target }: Pick<ReportData, 'funnel' | 'target'>): Html {
  if (funnel.length === 0)
    return html`<section><h2>Funnel</h2><p class="empty">No stage has run yet.</p></section>`;
  const widest = Math.max(1, ...funnel.map((row) => row.entered));
  const several = rolloutsOfTasks(funnel, target);
  return html`<section>
<h2>Funnel</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Funnel"><table class="funnel">
<thead><tr><th scope="col">Stage</th><th scope="col" class="wide">Records</th><th scope="col" class="number">In</th><th scope="col" class="number">Out</th><th scope="col">Why the others ended here</th></tr></thead>
<tbody>
${funnel.map((row) => stageRow(row, widest))}
</tbody>
</table></div>
${several && html`<p>From rollout on, records are rollouts: ${count(several.rollouts)} of ${count(several.tasks)} tasks.</p>`}
<p class="legend"><span><i class="swatch kept"></i>passed on</span><span><i class="swatch dropped"></i>dropped: a verdict on the content</span><span><i class="swatch failed"></i>failed: could not be worked on</span></p>
</section>`;
}

function stageRow(row: FunnelRow, widest: number): Html {
  const dropped = totalOf(row.dropped);
  const failed = totalOf(row.failed);
  return html`<tr><th scope="row">${row.stage}</th><td class="wide">${bar(row, dropped, failed, widest)}</td><td class="number">${count(row.entered)}</td><td class="number"><strong>${count(row.emitted)}</strong> <small>${share(row.emitted, row.entered)}</small></td><td>${reasons(row.dropped, 'dropped')}${reasons(row.failed, 'failed')}</td></tr>
`;
}

function bar({ stage, emitted }: FunnelRow, dropped: number, failed: number, widest: number): Html {
  const parts = [
    { kind: 'kept', value: emitted },
    { kind: 'dropped', value: dropped },
    { kind: 'failed', value: failed },
  ];
  let x = 0;
  const rects = parts.map(({ kind, value }) => {
    const width = (value / widest) * 100;
    const rect = html`<rect class="${kind}" x="${x.toFixed(3)}%" width="${width.toFixed(3)}%" height="18"/>`;
    x += width;
    return rect;
  });
  const label = `${stage}: ${emitted} passed on, ${dropped} dropped, ${failed} failed`;
  return html`<svg class="stage" width="100%" height="18" role="img" aria-label="${label}">${rects}</svg>`;
}

function reasons(counts: Readonly<Record<string, number>>, kind: 'dropped' | 'failed'): Html[] {
  return Object.entries(counts)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([reason, n]) => html`<span class="chip ${kind}">${words(reason)} <b>${count(n)}</b></span> `);
}

/** Planted flaws against what became of them. Nothing where none could be planted. */
export function plantedSection(planted: readonly PlantedRow[] | null): Html | undefined {
  if (planted === null) return undefined;
  const wrong = planted.filter((row) => !isRight(row)).length;
  return html`<section>
<h2>Planted against found</h2>
<p class="${wrong === 0 ? 'good' : 'bad'}">${verdict(planted.length, wrong)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Planted against found"><table>
<thead><tr><th scope="col">Flaw</th><th scope="col">Profile</th><th scope="col">Expected</th><th scope="col" class="number">Planted</th><th scope="col" class="number">As expected</th><th scope="col" class="number">False finds</th><th scope="col"></th></tr></thead>
<tbody>
${planted.map(plantedRow)}
</tbody>
</table></div>
</section>`;
}

function verdict(rows: number, wrong: number): string {
  if (rows === 0) return 'Nothing was planted.';
  if (wrong === 0) return 'Everything planted ended as it should, and nothing else was taken for it.';
  return `${count(wrong)} of ${count(rows)} lines did not end as they should.`;
}

function isRight(row: PlantedRow): boolean {
  return row.as_expected === row.planted && row.false_finds === 0;
}

function plantedRow(row: PlantedRow): Html {
  const mark = isRight(row)
    ? html`<span class="good">✓ right</span>`
    : html`<span class="bad">✗ wrong</span>`;
  return html`<tr><th scope="row">${words(row.flaw)}</th><td>${row.profile}</td><td>${words(row.expected)}</td><td class="number">${count(row.planted)}</td><td class="number">${count(row.as_expected)}</td><td class="number">${count(row.false_finds)}</td><td>${mark}</td></tr>
`;
}
