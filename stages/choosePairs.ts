import { Counts } from '../base/counts.ts';
import type { PreferenceConfig } from '../schemas/config/preference.ts';

/** What is known of a trajectory that may be a side of a pair. */
export interface PairCandidate {
  /** Place among the records that it was read from, from 0. */
  readonly index: number;
  readonly id: string;
  /** Its `qualityScore`. */
  readonly score: number;
  /** Length of its segments' text, in UTF-16 code units. */
  readonly chars: number;
  /** Its `textDigest`: two of the same text are no pair. */
  readonly text: number;
}

/** The trajectories of one task and prompt that may be chosen or rejected; one may be among both. */
export interface PairCandidates {
  readonly chosen: readonly PairCandidate[];
  readonly rejected: readonly PairCandidate[];
}

interface Sides {
  readonly chosen: PairCandidate;
  readonly rejected: PairCandidate;
}

/** A pair that may be made. */
interface Possible extends Sides {
  /** How many times the longer side is as long as the shorter. */
  readonly ratio: number;
  /** Places of the two among the best and the worst, added: 0 for the best against the worst. */
  readonly rank: number;
}

/**
 * The pairs of one task, at most `per_task`. Trajectories that stand in fewer pairs come first, so that no side is seen
 * over and over; then, with `max_length_ratio`, the nearest in length; then the best against the worst. The order in
 * which the candidates come does not matter.
 */
export function choosePairs(candidates: PairCandidates, settings: PreferenceConfig): readonly Sides[] {
  const left = new Set(possiblePairs(candidates, settings));
  const uses = new Counts<PairCandidate>();
  const usesOf = ({ chosen, rejected }: Possible) => (uses.get(chosen) ?? 0) + (uses.get(rejected) ?? 0);
  const picked: Possible[] = [];
  while (picked.length < settings.per_task && left.size > 0) {
    let next: Possible | undefined;
    for (const pair of left) if (next === undefined || usesOf(pair) < usesOf(next)) next = pair;
    left.delete(next!);
    picked.push(next!);
    for (const side of [next!.chosen, next!.rejected]) uses.add(side);
  }
  return picked;
}

/** Those that may be picked, those that are preferred first: of all that the settings allow, enough for `per_task`. */
function possiblePairs({ chosen, rejected }: PairCandidates, settings: PreferenceConfig): Possible[] {
  const { by, per_task, min_margin, max_length_ratio: most } = settings;
  const isFarEnough = (pair: Sides) =>
    by === 'answer' || pair.chosen.score - pair.rejected.score >= min_margin;
  const isAllowed = (pair: Sides) => pair.chosen.text !== pair.rejected.text && isFarEnough(pair);
  const ranked = {
    best: chosen.toSorted((a, b) => b.score - a.score || tieBreak(a, b)),
    worst: rejected.toSorted((a, b) => a.score - b.score || tieBreak(a, b)),
  };
  // Where lengths do not matter, no pair is picked that is not of the first `per_task` of both sides, unless some of
  // those have one text.
  const firsts = { best: ranked.best.slice(0, per_task), worst: ranked.worst.slice(0, per_task) };
  const isEnough = !firsts.best.some((chosen) =>
    firsts.worst.some((rejected) => isFarEnough({ chosen, rejected }) && !isAllowed({ chosen, rejected })),
  );
  const { best, worst } = most === null && isEnough ? firsts : ranked;
  const pairsOf = most === null ? everyPair(worst) : nearestPairs(worst, most);
  return best
    .flatMap((one, at) => pairsOf({ one, at, count: per_task, isAllowed }))
    .sort((a, b) => (most === null ? 0 : a.ratio - b.ratio) || a.rank - b.rank);
}

/** A trajectory that may be chosen, and which pairs with it are looked for. */
interface Wanted {
  readonly one: PairCandidate;
  /** Its place among the best, from 0. */
  readonly at: number;
  readonly count: number;
  readonly isAllowed: (pair: Possible) => boolean;
}

function everyPair(worst: readonly PairCandidate[]) {
  return ({ one, at, isAllowed }: Wanted): Possible[] =>
    worst.map((other, place) => pairOf(one, other, at + place)).filter(isAllowed);
}

/**
 * The pairs nearest in length, as many as are wanted of one trajectory: with so many, one of them is always better than
 * any that lies behind them, since fewer than so many were picked before. Thousands of rollouts of a task would
 * otherwise be millions of pairs.
 */
function nearestPairs(worst: readonly PairCandidate[], most: number) {
  const places = worst.map((other, place) => ({ other, place }));
  const byLength = [...Map.groupBy(places, ({ other }) => other.chars)].sort(([a], [b]) => a - b);
  const lengths = byLength.map(([chars]) => chars);
  return ({ one, at, count, isAllowed }: Wanted): Possible[] => {
    const found: Possible[] = [];
    for (const nearest of groupsByRatio(lengths, one.chars)) {
      if (nearest.ratio > most || found.length >= count) break;
      for (const group of nearest.groups) {
        let left = count;
        for (const { other, place } of byLength[group]![1]) {
          const pair = pairOf(one, other, at + place);
          if (!isAllowed(pair)) continue;
          found.push(pair);
          if (--left === 0) break;
        }
      }
    }
    return found;
  };
}

/** The places of lengths, which ascend, by how far they are from one: two where a shorter and a longer are as far. */
function* groupsByRatio(lengths: readonly number[], chars: number) {
  let above = lowerBound(lengths, chars);
  let below = above - 1;
  while (below >= 0 || above < lengths.length) {
    const ratioBelow = below >= 0 ? ratioOf(chars, lengths[below]!) : Number.POSITIVE_INFINITY;
    const ratioAbove = above < lengths.length ? ratioOf(chars, lengths[above]!) : Number.POSITIVE_INFINITY;
    const ratio = Math.min(ratioBelow, ratioAbove);
    const groups: number[] = [];
    if (ratioBelow === ratio && below >= 0) groups.push(below--);
    if (ratioAbove === ratio && above < lengths.length) groups.push(above++);
    yield { ratio, groups };
  }
}

function lowerBound(ascending: readonly number[], value: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ascending[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

function pairOf(chosen: PairCandidate, rejected: PairCandidate, rank: number): Possible {
  return { chosen, rejected, ratio: ratioOf(chosen.chars, rejected.chars), rank };
}

function ratioOf(a: number, b: number): number {
  return Math.max(a, b) / Math.min(a, b);
}

function tieBreak(a: PairCandidate, b: PairCandidate): number {
  return a.chars - b.chars || (a.id < b.id ? -1 : 1);
}
