/** What the server answers about reviews, and what the page sends: types alone, for both sides. */
import type { ReviewAgreement } from '../../operations/reviewAgreement.ts';
import type { ReviewConfig } from '../../schemas/config/review.ts';
import type { ReviewLine, ReviewReason } from '../../schemas/run/reviewLine.ts';

type Verdict = ReviewLine['verdict'];

/** A record that waits for a review, or has one. */
export interface QueuedRecord {
  readonly key: string;
  /** The own verdict; null before there is one. */
  readonly own: Verdict | null;
}

/** What one reviewer has done. */
export interface ReviewerCounts {
  readonly author: string;
  readonly accepted: number;
  readonly rejected: number;
  /** Records with marked segments. */
  readonly marked: number;
}

/** `/api/sources/NAME/review` with a filter, and `sample` and `seed` where a sample is wanted */
export interface ReviewAnswer {
  /** In whose name reviews are written; null where pages only show. */
  readonly author: string | null;
  readonly rule: ReviewConfig['rule'];
  readonly queue: readonly QueuedRecord[];
  /** Records with a trajectory that the filter finds; the queue holds a beginning or a sample of them. */
  readonly found: number;
  readonly reviewers: readonly ReviewerCounts[];
  readonly agreement: ReviewAgreement | null;
  /** Reviews of records that the run does not have, or not any more as they were. */
  readonly unknown: readonly Pick<ReviewLine, 'record_id' | 'author'>[];
  /** Makes the dataset with the reviews. */
  readonly command: string;
  /** Whether that command may work on further tasks in the place of rejected rows. */
  readonly hasTarget: boolean;
}

/** `/api/sources/NAME/review/KEY`: what is said of a record; also the answer to a review that is sent there. */
export interface RecordReviewsAnswer {
  readonly record_id: string;
  readonly reviews: readonly ReviewLine[];
}

/** What the page sends to `/api/sources/NAME/review/KEY`. */
export interface ReviewRequest {
  /** The trajectory that the reviewer saw. */
  readonly record_id: string;
  readonly verdict: Verdict;
  readonly reason?: ReviewReason | undefined;
  readonly note?: string | undefined;
  /** Places of segments that are not to be trained. */
  readonly segments: readonly number[];
}
