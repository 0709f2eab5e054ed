import { contentId } from '../../base/ids.ts';
import { type CorpusStage, decideEach, dropRecord, emitRecord } from '../../contract/stage.ts';
import type { ReviewConfig } from '../../schemas/config/review.ts';
import type { ReviewLine } from '../../schemas/run/reviewLine.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';

/**
 * Drops what reviewers rejected.
 * @param onUnmet - Told the ids of decided records that did not come, if any, once all have been seen.
 */
export function createReviewStage(
  decisions: ReviewDecisions,
  onUnmet: (ids: readonly string[]) => Promise<void>,
): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'review',
    version: 1,
    input: trajectorySchema,
    output: trajectorySchema,
    async *run(trajectories, { signal }) {
      const unmet = new Set(decisions.keys());
      yield* decideEach(trajectories, (trajectory) => {
        signal.throwIfAborted();
        unmet.delete(trajectory.id);
        const decision = decisions.get(trajectory.id);
        return decision
          ? dropRecord('rejected_by_reviewer', {
              reviews: decision.rejections.map(evidenceOf),
              reviewers: decision.reviewers,
            })
          : emitRecord(trajectory);
      });
      if (unmet.size > 0) await onUnmet([...unmet]);
    },
  };
}

interface ReviewDecision {
  /** Sorted by author. */
  readonly rejections: readonly ReviewLine[];
  readonly reviewers: number;
}

export type ReviewDecisions = ReadonlyMap<string, ReviewDecision>;

/**
 * Last review of each author for each record, without withdrawn ones, sorted by record and author, so that the order
 * of different authors' lines does not matter.
 */
export function standingReviews(lines: Iterable<ReviewLine>): ReviewLine[] {
  const last = new Map<string, ReviewLine>();
  for (const line of lines) last.set(keyOf(line), line);
  return [...last.values()]
    .filter(({ note, verdict }) => note !== undefined || verdict !== 'unset')
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Names contain no line feed. */
function keyOf({ record_id, author }: ReviewLine): string {
  return `${record_id}\n${author}`;
}

/** Groups reviews by record. */
export function reviewsByRecord(reviews: readonly ReviewLine[]): Map<string, ReviewLine[]> {
  return Map.groupBy(reviews, ({ record_id }) => record_id);
}

/**
 * Decides rejections by `review.rule`. A majority is more than half of the authors with a verdict.
 * @param standing - as {@link standingReviews} gives them
 */
export function decideReviews(
  standing: readonly ReviewLine[],
  rule: ReviewConfig['rule'] = 'any_reject',
): ReviewDecisions {
  const decisions = new Map<string, ReviewDecision>();
  for (const [id, reviews] of reviewsByRecord(standing.filter(({ verdict }) => verdict !== 'unset'))) {
    const rejections = reviews.filter(({ verdict }) => verdict === 'reject');
    const isEnough = rule === 'majority' ? rejections.length * 2 > reviews.length : rejections.length > 0;
    if (isEnough) decisions.set(id, { rejections, reviewers: reviews.length });
  }
  return decisions;
}

/** Fingerprint of the decisions: another decision makes the stage stale, another note or order does not. */
export function reviewIdentity(decisions: ReviewDecisions): string {
  const all = [...decisions].map(([id, { rejections }]) => ({ id, rejections: rejections.map(evidenceOf) }));
  return contentId('config', all);
}

function evidenceOf({ author, reason, note, at }: ReviewLine) {
  return { author, reason: reason!, ...(note !== undefined && { note }), at };
}
