import { UserError } from '../../base/userError.ts';
import { type CorpusStage, decideEach, dropRecord, emitRecord } from '../../contract/stage.ts';
import { markOf } from '../../schemas/run/reviewLine.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';
import { evidenceOf, type ReviewDecision, type ReviewDecisions } from './decideReviews.ts';

/**
 * Leaves out what reviewers rejected, and notes on the others which segments are not to be trained.
 *
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
        const isOut = decision !== undefined && decision.rejections.length > 0;
        return isOut
          ? dropRecord('rejected_by_reviewer', {
              reviews: decision.rejections.map(evidenceOf),
              reviewers: decision.reviewers,
            })
          : emitRecord(withMarks(trajectory, decision));
      });
      if (unmet.size > 0) await onUnmet([...unmet]);
    },
  };
}

/**
 * A trajectory with the segments that its reviewers marked as a verdict of theirs. Their names stay out of it: it becomes
 * a row that is shared.
 *
 * @throws UserError where a marked segment has another text than the reviewer saw
 */
export function withMarks(trajectory: Trajectory, decision: ReviewDecision | undefined): Trajectory {
  if (!decision || decision.marked.length === 0) return trajectory;
  const { id, segments, quality } = trajectory;
  for (const { index, text_sha256 } of decision.marked) {
    const text = segments[index]?.text;
    if (text === undefined || markOf(index, text).text_sha256 !== text_sha256)
      throw new UserError(
        `reviews.jsonl: the mark on segment ${index + 1} of ${id} was made on another text; review the record again, or take the line out`,
      );
  }
  const verdict: Verdict = {
    subject: 'review',
    judge: 'reviewers',
    judgement: 'correct',
    score: 1,
    evidence: { reviewers: decision.reviewers },
    marked_segments: [...new Set(decision.marked.map(({ index }) => index))],
  };
  return { ...trajectory, quality: { ...quality, verdicts: [...quality.verdicts, verdict] } };
}
