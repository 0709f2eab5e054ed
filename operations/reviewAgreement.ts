import { cohensKappa, krippendorffsAlpha } from '../base/statistics/agreement.ts';
import type { ReviewLine } from '../schemas/run/reviewLine.ts';
import { reviewsByRecord } from '../stages/review/createReviewStage.ts';

/** How far reviewers agree on accepting and rejecting. */
export interface ReviewAgreement {
  /** Kappa of two reviewers, alpha of more. */
  readonly measure: 'cohens_kappa' | 'krippendorffs_alpha';
  /** 1: always; 0: as by chance. null where chance alone would agree on everything. */
  readonly value: number | null;
  /** Records with verdicts of two reviewers or more. */
  readonly records: number;
}

/**
 * The agreement of reviewers on the records on which several of them gave a verdict; null where there is none.
 *
 * @param standing - as `standingReviews` gives them
 */
export function reviewAgreement(standing: readonly ReviewLine[]): ReviewAgreement | null {
  const verdicts = standing.filter(({ verdict }) => verdict !== 'unset');
  const shared = [...reviewsByRecord(verdicts).values()].filter(({ length }) => length > 1);
  const authors = [...new Set(shared.flat().map(({ author }) => author))].sort();
  const records = shared.length;
  if (records === 0) return null;
  if (authors.length > 2)
    return {
      measure: 'krippendorffs_alpha',
      value: krippendorffsAlpha(shared.map((of) => of.map(({ verdict }) => verdict))),
      records,
    };
  const counts = [
    [0, 0],
    [0, 0],
  ];
  // Reviews of a record come by author.
  for (const [first, second] of shared) counts[placeOf(first!)]![placeOf(second!)]! += 1;
  return { measure: 'cohens_kappa', value: cohensKappa(counts), records };
}

function placeOf({ verdict }: ReviewLine): 0 | 1 {
  return verdict === 'accept' ? 0 : 1;
}
