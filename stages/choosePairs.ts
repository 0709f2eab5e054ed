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
}

/** The trajectories of one task and prompt that may be chosen or rejected; one may be among both. */
export interface PairCandidates {
  readonly chosen: readonly PairCandidate[];
  readonly rejected: readonly PairCandidate[];
}

/** A pair that may be made. */
interface Possible {
  readonly chosen: PairCandidate;
  readonly rejected: PairCandidate;
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
export function choosePairs(
  candidates: PairCandidates,
  settings: PreferenceConfig,
): readonly Pick<Possible, 'chosen' | 'rejected'>[] {
  const left = new Set(possiblePairs(candidates, settings));
  const uses = new Map<PairCandidate, number>();
  const usesOf = ({ chosen, rejected }: Possible) => (uses.get(chosen) ?? 0) + (uses.get(rejected) ?? 0);
  const picked: Possible[] = [];
  while (picked.length < settings.per_task && left.size > 0) {
    let next: Possible | undefined;
    for (const pair of left) if (next === undefined || usesOf(pair) < usesOf(next)) next = pair;
    left.delete(next!);
    picked.push(next!);
    for (const side of [next!.chosen, next!.rejected]) uses.set(side, (uses.get(side) ?? 0) + 1);
  }
  return picked;
}

/** All that the settings allow, those that are preferred first. */
function possiblePairs({ chosen, rejected }: PairCandidates, settings: PreferenceConfig): Possible[] {
  const { by, per_task, min_margin, max_length_ratio: most } = settings;
  // Where lengths do not matter, no pair is picked that is not of the first `per_task` of both sides.
  const looked = most === null ? per_task : undefined;
  const best = chosen.toSorted((a, b) => b.score - a.score || tieBreak(a, b)).slice(0, looked);
  const worst = rejected.toSorted((a, b) => a.score - b.score || tieBreak(a, b)).slice(0, looked);
  return best
    .flatMap((one, at) =>
      worst.map((other, place) => ({
        chosen: one,
        rejected: other,
        ratio: Math.max(one.chars, other.chars) / Math.min(one.chars, other.chars),
        rank: at + place,
      })),
    )
    .filter((pair) => by === 'answer' || pair.chosen.score - pair.rejected.score >= min_margin)
    .filter(({ ratio }) => most === null || ratio <= most)
    .sort((a, b) => (most === null ? 0 : a.ratio - b.ratio) || a.rank - b.rank);
}

function tieBreak(a: PairCandidate, b: PairCandidate): number {
  return a.chars - b.chars || (a.id < b.id ? -1 : 1);
}
