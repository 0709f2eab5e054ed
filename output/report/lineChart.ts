import { count } from './figures.ts';
import { type Html, html } from './html.ts';

/** A value at a step; null where it was no number: the line is broken there. */
export interface ChartPoint {
  readonly step: number;
  readonly value: number | null;
}

/** More points than a line of this width can show make the page heavy. */
const MAX_POINTS = 500;

const canvas = { width: 420, height: 190, left: 52, right: 10, top: 12, bottom: 26 };

/** Values over steps as a line. */
export function lineChart(title: string, points: readonly ChartPoint[]): Html {
  const shown = thinned(points);
  const values = shown.flatMap(({ value }) => value ?? []);
  if (values.length === 0)
    return html`<figure class="chart"><figcaption>${title}</figcaption><p class="empty">No value.</p></figure>`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [shown[0]!.step, shown.at(-1)!.step];
  const x = (step: number): number => place(step, first, last, canvas.left, canvas.width - canvas.right);
  const y = (value: number): number => place(value, least, most, canvas.height - canvas.bottom, canvas.top);
  const label = `${title} from ${digits(values[0]!)} at step ${first} to ${digits(values.at(-1)!)} at step ${last}`;
  const floor = canvas.height - canvas.bottom;
  return html`<figure class="chart">
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${canvas.width} ${canvas.height}" role="img" aria-label="${label}">
<line class="axis" x1="${canvas.left}" x2="${canvas.width - canvas.right}" y1="${floor}" y2="${floor}"/>
<line class="axis" x1="${canvas.left}" x2="${canvas.left}" y1="${canvas.top}" y2="${floor}"/>
${unbroken(shown).map(
  (
    part,
  ) => html`<polyline class="curve" points="${part.map(({ step, value }) => `${round(x(step))},${round(y(value))}`).join(' ')}"/>
`,
)}${valueTick(most, y(most))}${most > least && valueTick(least, y(least))}
<text class="tick" x="${canvas.left}" y="${canvas.height - 8}">${count(first)}</text>
<text class="tick" x="${canvas.width - canvas.right}" y="${canvas.height - 8}" text-anchor="end">${count(last)}</text>
</svg>
</figure>`;
}

function valueTick(value: number, y: number): Html {
  return html`<text class="tick" x="${canvas.left - 6}" y="${round(y + 4)}" text-anchor="end">${digits(value)}</text>`;
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

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
