import type { ValueCounts } from '../../schemas/report.ts';
import { count } from './figures.ts';
import { type Html, html } from './html.ts';

/** Values from `from` on and below `to`. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const MAX_BINS = 14;

/** Bins of one round width (1, 2 or 5 times a power of ten) from zero, or from the bin of the least value where it is far off. */
export function binValues(values: ValueCounts): Bin[] {
  if (values.size === 0) return [];
  const least = values.keys().reduce((a, b) => Math.min(a, b));
  const most = values.keys().reduce((a, b) => Math.max(a, b));
  const width = roundWidth((most - Math.min(least, most / 2) + 1) / MAX_BINS);
  const first = Math.floor(Math.min(least, most / 2) / width);
  const counts = new Array<number>(Math.floor(most / width) - first + 1).fill(0);
  for (const [value, times] of values) counts[Math.floor(value / width) - first]! += times;
  return counts.map((n, at) => ({ from: (first + at) * width, to: (first + at + 1) * width, count: n }));
}

/** The least of 1, 2, 5, 10, 20, ... that is not below a width. */
function roundWidth(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((step) => step * power).find((width) => width >= least) ?? power * 10;
}

const canvas = { width: 420, height: 190, left: 8, right: 8, top: 22, bottom: 26 };

/** Whole-number values as a histogram. */
export function histogram(title: string, unit: string, values: ValueCounts): Html {
  const bins = binValues(values);
  const tallest = bins.reduce((most, bin) => Math.max(most, bin.count), 1);
  const slot = (canvas.width - canvas.left - canvas.right) / Math.max(1, bins.length);
  const floor = canvas.height - canvas.bottom;
  const label = `${title}: ${bins.map((bin) => `${binName(bin)}: ${bin.count}`).join(', ')}`;
  return html`<figure class="chart">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${canvas.width} ${canvas.height}" role="img" aria-label="${label}">
${bins.map((bin, at) => bar(bin, unit, canvas.left + at * slot, slot, (bin.count / tallest) * (floor - canvas.top)))}
<line class="axis" x1="${canvas.left}" x2="${canvas.width - canvas.right}" y1="${floor}" y2="${floor}"/>
${bins.map((bin, at) => at % labelEvery(bins.length) === 0 && tick(bin, canvas.left + at * slot, slot, bins))}
</svg>
</figure>`;
}

function bar(bin: Bin, unit: string, x: number, slot: number, height: number): Html {
  const y = canvas.height - canvas.bottom - height;
  const gap = Math.min(4, slot * 0.12);
  return html`<g><title>${binName(bin)} ${unit}: ${count(bin.count)} rows</title>
<rect class="bar" x="${round(x + gap / 2)}" y="${round(y)}" width="${round(slot - gap)}" height="${round(height)}" rx="2"/>
${bin.count > 0 && html`<text class="value" x="${round(x + slot / 2)}" y="${round(y - 5)}">${count(bin.count)}</text>`}</g>
`;
}

/** The value in the middle below a bin of one, the lower border at the left of a wider one. */
function tick(bin: Bin, x: number, slot: number, bins: readonly Bin[]): Html {
  const single = bin.to - bin.from === 1;
  const anchor = single ? 'middle' : bin === bins[0] ? 'start' : 'middle';
  return html`<text class="tick" x="${round(single ? x + slot / 2 : x)}" y="${canvas.height - 8}" text-anchor="${anchor}">${count(bin.from)}</text>
`;
}

function binName({ from, to }: Bin): string {
  return to - from === 1 ? count(from) : `${count(from)}–${count(to - 1)}`;
}

function labelEvery(bins: number): number {
  return bins > 7 ? 2 : 1;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
