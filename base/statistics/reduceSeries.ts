/** A value at a place of a series; of several values their mean, the least and the most. Null where none is a number. */
export type SeriesPoint = readonly [at: number, mean: number | null, least?: number, most?: number];

/**
 * A series in at most so many points, each of as many neighbours: it keeps the least and the most of them, and stands
 * where one is farthest from their mean, so that one step out of a million that stands out is still drawn in its place.
 * The first and the last place stay. A stretch in which no value is a number stays a gap.
 */
export function reduceSeries(points: readonly SeriesPoint[], maxPoints: number): readonly SeriesPoint[] {
  const size = Math.ceil(points.length / maxPoints);
  if (size <= 1) return points;
  const reduced: SeriesPoint[] = [];
  for (let from = 0; from < points.length; from += size)
    reduced.push(meanOf(points, from, Math.min(points.length, from + size)));
  return reduced;
}

function meanOf(points: readonly SeriesPoint[], from: number, to: number): SeriesPoint {
  let [sum, known, least, most] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [lowAt, highAt] = [from, from];
  for (let at = from; at < to; at++) {
    const [, mean, low = mean, high = mean] = points[at]!;
    if (mean === null) continue;
    known++;
    sum += mean;
    if (low! < least) [least, lowAt] = [low!, at];
    if (high! > most) [most, highAt] = [high!, at];
  }
  const mean = sum / known;
  const farthest = most - mean > mean - least ? highAt : lowAt;
  const place = points[from === 0 ? 0 : to === points.length ? to - 1 : farthest]![0];
  return known === 0 ? [place, null] : [place, mean, least, most];
}
