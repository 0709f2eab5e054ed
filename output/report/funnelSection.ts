import type { FunnelRow } from '../../schemas/report.ts';
import { count, share, sum, words } from './figures.ts';
import { type Html, html } from './html.ts';

/** What became of the records, stage by stage: bars drawn to the scale of the largest stage, and every reason. */
export function funnelSection(funnel: readonly FunnelRow[]): Html {
  if (funnel.length === 0)
    return html`<section><h2>Funnel</h2><p class="empty">No stage has run yet.</p></section>`;
  const widest = Math.max(1, ...funnel.map((row) => row.entered));
  return html`<section>
<h2>Funnel</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Funnel"><table class="funnel">
<thead><tr><th scope="col">Stage</th><th scope="col" class="wide">Records</th><th scope="col" class="number">In</th><th scope="col" class="number">Out</th><th scope="col">Why the others ended here</th></tr></thead>
<tbody>
${funnel.map((row) => stageRow(row, widest))}
</tbody>
</table></div>
<p class="legend"><span><i class="swatch kept"></i>passed on</span><span><i class="swatch dropped"></i>dropped: a verdict on the content</span><span><i class="swatch failed"></i>failed: could not be worked on</span></p>
</section>`;
}

function stageRow(row: FunnelRow, widest: number): Html {
  const dropped = sum(Object.values(row.dropped));
  const failed = sum(Object.values(row.failed));
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
