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
  /** Its `textDigest`: two of the same text are not a pair. */
  readonly text: number;
}

/** The trajectories of one task and prompt that may be chosen or rejected; one may be among both. */
interface PairCandidates {
  readonly chosen: readonly PairCandidate[];
  readonly rejected: readonly PairCandidate[];
}

interface Pair {
  readonly chosen: PairCandidate;
  readonly rejected: PairCandidate;
}

/**
 * The pairs of one task, at most `per_task`. Trajectories that stand in fewer pairs come first, so that no side is seen
 * over and over; then, with `max_length_ratio`, the nearest in length; then the best against the worst. The order in
 * which the candidates come does not matter.
 */
export function choosePairs(candidates: PairCandidates, settings: PreferenceConfig): readonly Pair[] {
  const left = new Set(possiblePairs(candidates, settings));
  const uses = new Counts<PairCandidate>();
  const usesOf = ({ chosen, rejected }: Pair) => (uses.get(chosen) ?? 0) + (uses.get(rejected) ?? 0);
  const picked: Pair[] = [];
  while (picked.length < settings.per_task && left.size > 0) {
    let next: Pair | undefined;
    for (const pair of left) if (next === undefined || usesOf(pair) < usesOf(next)) next = pair;
    left.delete(next!);
    picked.push(next!);
    for (const side of [next!.chosen, next!.rejected]) uses.add(side);
  }
  return picked;
}

/** Those that may be picked, those that are preferred first. */
function possiblePairs({ chosen, rejected }: PairCandidates, settings: PreferenceConfig): Pair[] {
  const { by, min_margin, max_length_ratio: most } = settings;
  const best = chosen.toSorted((a, b) => b.score - a.score || tieBreak(a, b));
  const worst = rejected.toSorted((a, b) => a.score - b.score || tieBreak(a, b));
  return best
    .flatMap((one, at) =>
      worst.map((other, place) => {
        const ratio = most === null ? 1 : Math.max(one.chars, other.chars) / Math.min(one.chars, other.chars);
        return { chosen: one, rejected: other, ratio, rank: at + place };
      }),
    )
    .filter(
      ({ chosen, rejected, ratio }) =>
        chosen.text !== rejected.text &&
        (by === 'answer' || chosen.score - rejected.score >= min_margin) &&
        (most === null || ratio <= most),
    )
    .sort((a, b) => a.ratio - b.ratio || a.rank - b.rank);
}

function tieBreak(a: PairCandidate, b: PairCandidate): number {
  return a.chars - b.chars || (a.id < b.id ? -1 : 1);
}
