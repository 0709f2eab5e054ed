import type { SeriesPoint } from '../../../base/statistics/reduceSeries.ts';
import { type Scale, scaleOf, smoothed } from './scale.ts';

export interface Series {
  readonly name: string;
  readonly points: readonly SeriesPoint[];
}

export interface Drawn {
  /** Width of a bar in axis units; several series are stacked. Absent: lines. */
  readonly barWidth?: number | undefined;
  /** Logarithmic vertical axis; drops values that are not positive. Default: false. */
  readonly isLog?: boolean | undefined;
  /** Smoothing weight of earlier values, 0 to below 1. Default: 0. */
  readonly smoothing?: number | undefined;
  /** Values that the vertical axis must include. */
  readonly reach?: readonly [least: number, most: number] | undefined;
}

const colours = ['link', 'dropped', 'kept', 'failed', 'soft'];

/** Style with the colour of the nth series. */
export function colourOf(nth: number): { readonly '--own': string } {
  return { '--own': `var(--${colours[nth % colours.length]})` };
}

/**
 * Chart size and margins. Charts are plain SVG: uPlot adds 22 kB to 43 kB of compressed code, and its canvas would
 * still need code for keys, themes and stacked bars.
 */
export const canvas = { width: 440, height: 190, left: 52, right: 8, top: 8, bottom: 34 };
/** Minimum bars that the width is divided by. */
const MIN_BARS = 8;
export const plot = {
  width: canvas.width - canvas.left - canvas.right,
  height: canvas.height - canvas.top - canvas.bottom,
};
export function horizontal(ratio: number): number {
  return Number((canvas.left + ratio * plot.width).toFixed(1));
}

export function vertical({ place }: Scale, value: number): number {
  const ratio = Math.min(1, Math.max(0, place(value)));
  return Number((canvas.top + (1 - ratio) * plot.height).toFixed(1));
}

/** Shapes and scales of all series, offset of a bar's middle, and the number of dropped values. */
export function drawing(
  { barWidth, isLog = false, smoothing = 0, reach }: Drawn,
  series: readonly Series[],
  places: readonly number[],
) {
  const isShown = (value: number) => !isLog || value > 0;
  let [least, most, left] = [
    reach?.[0] ?? Number.POSITIVE_INFINITY,
    reach?.[1] ?? Number.NEGATIVE_INFINITY,
    0,
  ];
  if (barWidth !== undefined) [least, most] = [0, Math.max(most, highestStack(series))];
  else
    for (const { points } of series)
      for (const [, mean, low = mean, high = mean] of points) {
        if (mean === null) continue;
        if (!isShown(mean)) left++;
        if (isShown(low!) && low! < least) least = low!;
        if (isShown(high!) && high! > most) most = high!;
      }
  const x = scaleOf(
    places[0]!,
    Math.max(places.at(-1)! + (barWidth ?? 0), places[0]! + MIN_BARS * (barWidth ?? 0)),
  );
  const y = scaleOf(least, Math.max(most, least), isLog);
  const shapes =
    barWidth === undefined ? lines(series, { x, y, isShown, smoothing }) : bars(series, x, y, barWidth);
  const middle = barWidth === undefined ? 0 : x.place(places[0]! + barWidth / 2);
  return { x, y, shapes, middle, left };
}

function highestStack(series: readonly Series[]): number {
  const sums = new Map<number, number>();
  for (const { points } of series)
    for (const [at, value] of points) sums.set(at, (sums.get(at) ?? 0) + (value ?? 0));
  return [...sums.values()].reduce((most, sum) => Math.max(most, sum), 0);
}

interface LineSettings {
  readonly x: Scale;
  readonly y: Scale;
  readonly isShown: (value: number) => boolean;
  readonly smoothing: number;
}

function lines(series: readonly Series[], { x, y, isShown, smoothing }: LineSettings) {
  return series.map(({ name, points }, nth) => {
    const means = points.map(([, mean]) => (mean !== null && isShown(mean) ? mean : null));
    const line = smoothing === 0 ? means : smoothed(means, smoothing);
    const at = (place: number, value: number) => `${horizontal(x.place(place))},${vertical(y, value)}`;
    return (
      <g key={name} class="series" style={colourOf(nth)}>
        {stretches(means).map(([from, to]) => {
          const own = points.slice(from, to);
          const top = own.map(([place, mean, , high = mean]) => at(place, high!));
          const floor = own
            .map(([place, mean, low = mean]) => at(place, isShown(low!) ? low! : mean!))
            .reverse();
          const path = own.map(([place], index) => at(place, line[from + index]!));
          const hasBand = smoothing > 0 || own.some((point) => point.length > 2);
          return (
            <g key={from}>
              {hasBand && smoothing > 0 && (
                <polyline class="faint" points={own.map(([place, mean]) => at(place, mean!)).join(' ')} />
              )}
              {hasBand && <polygon points={[...top, ...floor].join(' ')} />}
              <polyline points={path.join(' ')} />
              {own.length < 3 &&
                path.map((pair) => (
                  <circle key={pair} cx={pair.split(',')[0]} cy={pair.split(',')[1]} r="3" />
                ))}
            </g>
          );
        })}
      </g>
    );
  });
}

/** Ranges of values without a gap. */
function stretches(values: readonly (number | null)[]): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const last = found.at(-1);
    if (last?.[1] === at) last[1]++;
    else found.push([at, at + 1]);
  }
  return found;
}

function bars(series: readonly Series[], x: Scale, y: Scale, width: number) {
  const tops = new Map<number, number>();
  return series.map(({ name, points }, nth) => (
    <g key={name} class="series" style={colourOf(nth)}>
      {points.map(([at, value]) => {
        if (!value) return null;
        const from = tops.get(at) ?? 0;
        tops.set(at, from + value);
        const [left, right] = [
          horizontal(x.place(at + 0.08 * width)),
          horizontal(x.place(at + 0.92 * width)),
        ];
        const top = vertical(y, from + value);
        return (
          <rect
            key={at}
            x={left}
            width={Math.max(0.5, right - left)}
            y={top}
            height={vertical(y, from) - top}
          />
        );
      })}
    </g>
  ));
}
