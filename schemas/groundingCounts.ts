import { z } from 'zod';
import type { Grounding } from './filterMeasures.ts';

const count = z.int().nonnegative();

/** Number of trajectories with their answer in an observation, as {@link Grounding} measures. */
export const groundingCountsSchema = z.strictObject({
  grounded: count,
  ungrounded: count,
  /** Answers that no document has to state: yes or no, an option, a computed one. */
  exempt: count,
  /** Results of evidence tools, and those that report nothing found. */
  looks: count,
  empty_looks: count,
});
export type GroundingCounts = z.infer<typeof groundingCountsSchema>;

/** Counts with one more trajectory; `before` is undefined for none. */
export function withGrounding(
  before: GroundingCounts | undefined,
  { finding, looks, empty_looks }: Grounding,
): GroundingCounts {
  const counts = before ?? { grounded: 0, ungrounded: 0, exempt: 0, looks: 0, empty_looks: 0 };
  return {
    ...counts,
    [finding]: counts[finding] + 1,
    looks: counts.looks + looks,
    empty_looks: counts.empty_looks + empty_looks,
  };
}

/** Message about the number of answers seen; undefined if none had to be. */
export function groundingNotice({ grounded, ungrounded, exempt, looks, empty_looks }: GroundingCounts) {
  const asked = grounded + ungrounded;
  if (asked === 0) return undefined;
  const empty = empty_looks === 0 ? '' : `; ${empty_looks} of ${looks} looks came back empty`;
  const others = exempt === 0 ? '' : `; ${exempt} exempt: yes or no, options, computed answers`;
  return `${grounded} of ${asked} answers occur in an observation${others}${empty}`;
}

/** True if fewer than half of the answers were seen, so that the tools do not cover the tasks. */
export function isBarelyGrounded({ grounded, ungrounded }: GroundingCounts): boolean {
  return grounded < ungrounded;
}

/** Advice if the tools do not cover the tasks. */
export const groundingAdvice =
  'the tools do not know these tasks; name a corpus or a service that does (tools.wiki_search, tools.web_search)';
