import { contentId } from '../../base/ids.ts';
import { UserError } from '../../base/userError.ts';
import { type CorpusStage, decideEach, dropRecord, emitRecord } from '../../contract/stage.ts';
import type { ReviewConfig } from '../../schemas/config/review.ts';
import { type MarkedSegment, markOf, type ReviewLine } from '../../schemas/run/reviewLine.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';

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

/** What follows for a record from what its reviewers say. */
interface ReviewDecision {
  /** The rejections, by author; empty where the record stays. */
  readonly rejections: readonly ReviewLine[];
  /** Segments that are not trained, by place; none of a record that is rejected. */
  readonly marked: readonly MarkedSegment[];
  readonly reviewers: number;
}

/** The records for which something follows, by id. */
export type ReviewDecisions = ReadonlyMap<string, ReviewDecision>;

/**
 * The last word of each author on each record; what was taken back is left out. They come by record and author, so that
 * the order of different authors' lines does not matter.
 */
export function standingReviews(lines: Iterable<ReviewLine>): ReviewLine[] {
  const last = new Map<string, ReviewLine>();
  for (const line of lines) last.set(keyOf(line), line);
  return [...last.values()]
    .filter(({ note, ...review }) => note !== undefined || decides(review))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Whether a review says more than a note. */
function decides({ verdict, segments }: Pick<ReviewLine, 'verdict' | 'segments'>): boolean {
  return verdict !== 'unset' || segments !== undefined;
}

/** No name holds a line feed. */
function keyOf({ record_id, author }: ReviewLine): string {
  return `${record_id}\n${author}`;
}

/** Reviews by the record that they are of, in their order. */
export function reviewsByRecord(reviews: readonly ReviewLine[]): Map<string, ReviewLine[]> {
  return Map.groupBy(reviews, ({ record_id }) => record_id);
}

/**
 * What follows from reviews, see `review.rule`. A majority is more than half: of those who gave a verdict for a
 * rejection, of all reviewers of the record for a mark.
 *
 * @param standing - as {@link standingReviews} gives them
 */
export function decideReviews(
  standing: readonly ReviewLine[],
  rule: ReviewConfig['rule'] = 'any_reject',
): ReviewDecisions {
  const decisions = new Map<string, ReviewDecision>();
  for (const [id, reviews] of reviewsByRecord(standing.filter(decides))) {
    const isEnough = (votes: number, of: number) => (rule === 'majority' ? votes * 2 > of : votes > 0);
    const rejections = reviews.filter(({ verdict }) => verdict === 'reject');
    const judged = reviews.filter(({ verdict }) => verdict !== 'unset');
    const reviewers = reviews.length;
    if (isEnough(rejections.length, judged.length)) decisions.set(id, { rejections, marked: [], reviewers });
    else {
      const marked = markVotes(reviews).filter(({ votes }) => isEnough(votes, reviewers));
      if (marked.length > 0)
        decisions.set(id, { rejections: [], marked: marked.map(({ mark }) => mark), reviewers });
    }
  }
  return decisions;
}

function markVotes(reviews: readonly ReviewLine[]): { readonly mark: MarkedSegment; votes: number }[] {
  const found = new Map<string, { readonly mark: MarkedSegment; votes: number }>();
  for (const { segments = [] } of reviews) {
    const own = new Map(segments.map((mark) => [`${mark.index} ${mark.text_sha256}`, mark]));
    for (const [key, mark] of own) {
      const known = found.get(key) ?? { mark, votes: 0 };
      known.votes += 1;
      found.set(key, known);
    }
  }
  return [...found.values()].sort(
    ({ mark: a }, { mark: b }) => a.index - b.index || (a.text_sha256 < b.text_sha256 ? -1 : 1),
  );
}

/** What a fingerprint holds of decisions: another decision makes the stage stale, another note or order does not. */
export function reviewIdentity(decisions: ReviewDecisions): { decisions: string; marked_segments: number } {
  const all = [...decisions].map(([id, { rejections, marked, reviewers }]) => ({
    id,
    rejections: rejections.map(evidenceOf),
    marked,
    ...(marked.length > 0 && { reviewers }),
  }));
  const marks = [...decisions.values()].reduce((sum, { marked }) => sum + marked.length, 0);
  return { decisions: contentId('config', all), marked_segments: marks };
}

/** What the ledger says of a rejection. */
function evidenceOf({ author, reason, note, at }: ReviewLine) {
  return { author, reason: reason!, ...(note !== undefined && { note }), at };
}
