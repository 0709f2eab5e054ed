import { Counts } from '../base/counts.ts';
import type { PreferenceConfig } from '../schemas/config/preference.ts';

/** Data of a trajectory that may be a side of a pair. */
export interface PairCandidate {
  readonly index: number;
  readonly id: string;
  /** Its `qualityScore`. */
  readonly score: number;
  /** Length of its segments' text, in UTF-16 code units. */
  readonly chars: number;
  /** Its `textDigest`: two with the same text are not a pair. */
  readonly text: number;
}

/** Trajectories of one task and prompt that may be chosen or rejected; one may be in both lists. */
interface PairCandidates {
  readonly chosen: readonly PairCandidate[];
  readonly rejected: readonly PairCandidate[];
}

interface Pair {
  readonly chosen: PairCandidate;
  readonly rejected: PairCandidate;
}

/**
 * Pairs of one task, at most `per_task`. Preference goes to trajectories used in fewer pairs, so that no side
 * repeats; then, with `max_length_ratio`, to similar lengths; then to the best against the worst. The order of
 * candidates does not matter.
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

/** Allowed pairs, preferred ones first. */
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
