/** A point of a series; for several values their mean, minimum and maximum. Null if none is a number. */
export type SeriesPoint = readonly [at: number, mean: number | null, least?: number, most?: number];

/** A list or a typed array. */
interface Sliceable<T> {
  readonly length: number;
  slice(from: number, to: number): ArrayLike<T>;
}

/**
 * Reduces a series to at most this many points. Each point covers neighbours, keeps their minimum and maximum, and
 * lies at the value farthest from their mean, so that a single outlier in a million stays visible in its place. The
 * first and last positions are kept, and a stretch without numbers stays a gap.
 * @param pointOf makes the point of an entry, only while it is looked at
 */
export function reduceSeries<T>(
  entries: Sliceable<T>,
  maxPoints: number,
  pointOf: (entry: T) => SeriesPoint,
): readonly SeriesPoint[] {
  const size = Math.ceil(entries.length / maxPoints);
  if (size <= 1) return Array.from(entries.slice(0, entries.length), pointOf);
  const reduced: SeriesPoint[] = [];
  for (let from = 0; from < entries.length; from += size)
    reduced.push(meanOf(Array.from(entries.slice(from, from + size), pointOf), from, entries.length));
  return reduced;
}

/** Merges `count` neighbouring points from index `first`. */
function meanOf(points: readonly SeriesPoint[], first: number, count: number): SeriesPoint {
  let [sum, known, least, most] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [lowAt, highAt] = [0, 0];
  for (const [at, [, mean, low = mean, high = mean]] of points.entries()) {
    if (mean === null) continue;
    known++;
    sum += mean;
    if (low! < least) [least, lowAt] = [low!, at];
    if (high! > most) [most, highAt] = [high!, at];
  }
  const mean = sum / known;
  const farthest = most - mean > mean - least ? highAt : lowAt;
  const end = points.length - 1;
  const place = points[first === 0 ? 0 : first + end === count - 1 ? end : farthest]![0];
  return known === 0 ? [place, null] : [place, mean, least, most];
}
