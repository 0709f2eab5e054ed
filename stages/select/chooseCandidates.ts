import type { BestOfConfig } from '../../schemas/config/select.ts';
import { type Candidate, rulesOf } from './candidate.ts';
import { sketchLikeness } from './wordSketch.ts';

/**
 * The candidates that have not the text of a better one, and are not too like one; of the others, the id of the first
 * that they are too like.
 */
export function withoutDuplicates(ranked: readonly Candidate[], most: number | undefined) {
  const unlike: Candidate[] = [];
  const texts = new Map<number, Candidate>();
  const duplicates = new Map<Candidate, string>();
  for (const candidate of ranked) {
    const like =
      texts.get(candidate.text) ??
      (most !== undefined && unlike.find(({ sketch }) => sketchLikeness(candidate.sketch, sketch) >= most));
    if (like) duplicates.set(candidate, like.id);
    else {
      unlike.push(candidate);
      texts.set(candidate.text, candidate);
    }
  }
  return { unlike, duplicates };
}

/**
 * The candidates of one task that stay, the best first. With `most_diverse` among the rules each further one is, of those
 * that the rules before it find equal and best, the one that is least like the nearest of those chosen; the rules behind
 * it decide between equals.
 *
 * @param ranked - In the order of `compareCandidates`.
 */
export function chooseBest(
  ranked: readonly Candidate[],
  { per_task, by }: Pick<BestOfConfig, 'per_task' | 'by'>,
): readonly Candidate[] {
  const rule = rulesOf(by).indexOf('most_diverse');
  if (rule < 0 || ranked.length <= per_task) return ranked.slice(0, per_task);
  const left = ranked.map((candidate) => ({ candidate, nearest: 0 }));
  const chosen: Candidate[] = [];
  while (chosen.length < per_task) {
    const [best] = left;
    const behind = left.findIndex(({ candidate }) => differsBefore(rule, candidate, best!.candidate));
    const equals = behind < 0 ? left : left.slice(0, behind);
    // The first of the least, which ranks highest.
    const next = equals.reduce((least, one) => (one.nearest < least.nearest ? one : least));
    left.splice(left.indexOf(next), 1);
    chosen.push(next.candidate);
    for (const one of left)
      one.nearest = Math.max(one.nearest, sketchLikeness(one.candidate.sketch, next.candidate.sketch));
  }
  return chosen;
}

function differsBefore(rule: number, a: Candidate, b: Candidate): boolean {
  return a.keys.slice(0, rule).some((key, place) => key !== b.keys[place]);
}
