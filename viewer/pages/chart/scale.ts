import { count } from '../../../base/figures.ts';

/** Maps values to 0..1, with round values for labels. */
export interface Scale {
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

const MAX_TICKS = 5;

/** A linear scale, or a logarithmic one if all values are positive. */
export function scaleOf(least: number, most: number, isLog = false): Scale {
  if (isLog && least > 0) return logScale(least, most);
  if (most === least) return { place: () => 0.5, ticks: [least] };
  const span = most - least;
  const step = roundStep(span / MAX_TICKS);
  const first = Math.ceil(least / step);
  const ticks: number[] = [];
  for (let at = first; at * step <= most + step * 1e-9; at++) ticks.push(Number((at * step).toPrecision(12)));
  return { place: (value) => (value - least) / span, ticks };
}

/** Labels powers of ten, and their multiples by 2 and 5 if fewer than two fit. */
function logScale(least: number, most: number): Scale {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  const powers = (factors: readonly number[]) => {
    const all: number[] = [];
    for (let power = Math.floor(low); power <= Math.ceil(high); power++)
      all.push(...factors.map((factor) => Number((factor * 10 ** power).toPrecision(12))));
    const within = all.filter((tick) => tick >= least && tick <= most);
    return within.filter((_, at) => at % Math.ceil(within.length / MAX_TICKS) === 0);
  };
  const whole = powers([1]);
  const ticks = whole.length >= 2 ? whole : powers([1, 2, 5]);
  return { place: (value) => (high === low ? 0.5 : (Math.log10(value) - low) / (high - low)), ticks };
}

function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
}

export function figure(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000 && size < 1e15) return count(Math.round(value));
  if (size > 0 && size < 0.001) return value.toExponential().replace(/(\.\d{1,3})\d*/, '$1');
  return String(Number(value.toPrecision(4)));
}

/**
 * Moving average in which each earlier value weighs `weight` times the next (0: no smoothing), without bias towards 0
 * at the beginning, as in TensorBoard. Gaps stay gaps.
 */
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  let [average, share] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    average = weight * average + (1 - weight) * value;
    share = weight * share + (1 - weight);
    return average / share;
  });
}
