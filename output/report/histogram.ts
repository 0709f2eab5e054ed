import { count } from '../../base/figures.ts';
import type { ValueCounts } from '../../schemas/report.ts';
import { type Html, html } from './html.ts';

/** Values from `from` on and below `to`. */
interface Bin {
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

const barCanvas = { width: 420, height: 190, left: 8, right: 8, top: 22, bottom: 26 };

/** Whole-number values as a histogram, of rows where nothing else is said. */
export function histogram(title: string, unit: string, values: ValueCounts, of = 'rows'): Html {
  const bins = binValues(values);
  const tallest = bins.reduce((most, bin) => Math.max(most, bin.count), 1);
  const slot = (barCanvas.width - barCanvas.left - barCanvas.right) / Math.max(1, bins.length);
  const floor = barCanvas.height - barCanvas.bottom;
  const label = `${title}: ${bins.map((bin) => `${binName(bin)}: ${bin.count}`).join(', ')}`;
  return html`<figure class="chart">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${barCanvas.width} ${barCanvas.height}" role="img" aria-label="${label}">
${bins.map((bin, at) => bar(bin, { unit, of }, barCanvas.left + at * slot, slot, (bin.count / tallest) * (floor - barCanvas.top)))}
<line class="axis" x1="${barCanvas.left}" x2="${barCanvas.width - barCanvas.right}" y1="${floor}" y2="${floor}"/>
${bins.map((bin, at) => at % labelEvery(bins.length) === 0 && tick(bin, barCanvas.left + at * slot, slot, bins))}
</svg>
</figure>`;
}

function bar(
  bin: Bin,
  { unit, of }: { unit: string; of: string },
  x: number,
  slot: number,
  height: number,
): Html {
  const y = barCanvas.height - barCanvas.bottom - height;
  const gap = Math.min(4, slot * 0.12);
  return html`<g><title>${binName(bin)} ${unit}: ${count(bin.count)} ${of}</title>
<rect class="bar" x="${round(x + gap / 2)}" y="${round(y)}" width="${round(slot - gap)}" height="${round(height)}" rx="2"/>
${bin.count > 0 && html`<text class="value" x="${round(x + slot / 2)}" y="${round(y - 5)}">${count(bin.count)}</text>`}</g>
`;
}

/** The value in the middle below a bin of one, the lower border at the left of a wider one. */
function tick(bin: Bin, x: number, slot: number, bins: readonly Bin[]): Html {
  const single = bin.to - bin.from === 1;
  const anchor = single ? 'middle' : bin === bins[0] ? 'start' : 'middle';
  return html`<text class="tick" x="${round(single ? x + slot / 2 : x)}" y="${barCanvas.height - 8}" text-anchor="${anchor}">${count(bin.from)}</text>
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

/** A value at a step; null where it was no number: the line is broken there. */
interface ChartPoint {
  readonly step: number;
  readonly value: number | null;
}

/** More points than a line of this width can show make the page heavy. */
const MAX_POINTS = 500;

const lineCanvas = { width: 420, height: 190, left: 52, right: 10, top: 12, bottom: 26 };

/** Values over steps as a line. */
export function lineChart(title: string, points: readonly ChartPoint[]): Html {
  const shown = thinned(points);
  const values = shown.flatMap(({ value }) => value ?? []);
  if (values.length === 0)
    return html`<figure class="chart"><figcaption>${title}</figcaption><p class="empty">No value.</p></figure>`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [shown[0]!.step, shown.at(-1)!.step];
  const x = (step: number): number =>
    place(step, first, last, lineCanvas.left, lineCanvas.width - lineCanvas.right);
  const y = (value: number): number =>
    place(value, least, most, lineCanvas.height - lineCanvas.bottom, lineCanvas.top);
  const label = `${title} from ${digits(values[0]!)} at step ${first} to ${digits(values.at(-1)!)} at step ${last}`;
  const floor = lineCanvas.height - lineCanvas.bottom;
  return html`<figure class="chart">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${lineCanvas.width} ${lineCanvas.height}" role="img" aria-label="${label}">
<line class="axis" x1="${lineCanvas.left}" x2="${lineCanvas.width - lineCanvas.right}" y1="${floor}" y2="${floor}"/>
<line class="axis" x1="${lineCanvas.left}" x2="${lineCanvas.left}" y1="${lineCanvas.top}" y2="${floor}"/>
${unbroken(shown).map(
  (
    part,
  ) => html`<polyline class="curve" points="${part.map(({ step, value }) => `${round(x(step))},${round(y(value))}`).join(' ')}"/>
`,
)}${valueTick(most, y(most))}${most > least && valueTick(least, y(least))}
<text class="tick" x="${lineCanvas.left}" y="${lineCanvas.height - 8}">${count(first)}</text>
<text class="tick" x="${lineCanvas.width - lineCanvas.right}" y="${lineCanvas.height - 8}" text-anchor="end">${count(last)}</text>
</svg>
</figure>`;
}

function valueTick(value: number, y: number): Html {
  return html`<text class="tick" x="${lineCanvas.left - 6}" y="${round(y + 4)}" text-anchor="end">${digits(value)}</text>`;
}

/** Every so-manieth point, the last always. */
function thinned(points: readonly ChartPoint[]): readonly ChartPoint[] {
  const stride = Math.ceil(points.length / MAX_POINTS);
  return points.filter((_, at) => at % stride === 0 || at === points.length - 1);
}

/** The stretches between values that are no numbers. A single point is drawn twice, so that it shows. */
function unbroken(points: readonly ChartPoint[]): { step: number; value: number }[][] {
  const parts: { step: number; value: number }[][] = [[]];
  for (const { step, value } of points) {
    if (value === null) parts.push([]);
    else parts.at(-1)!.push({ step, value });
  }
  return parts
    .filter((part) => part.length > 0)
    .map((part) => (part.length === 1 ? [...part, ...part] : part));
}

/** Where a value stands between two ends; in the middle where there is only one value. */
function place(value: number, least: number, most: number, from: number, to: number): number {
  return most === least ? (from + to) / 2 : from + ((value - least) / (most - least)) * (to - from);
}

function digits(value: number): string {
  return value !== 0 && (Math.abs(value) < 0.001 || Math.abs(value) >= 1e5)
    ? value.toExponential(1)
    : String(Number(value.toPrecision(3)));
}
