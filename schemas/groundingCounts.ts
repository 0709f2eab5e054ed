import { z } from 'zod';
import type { Grounding } from './filterMeasures.ts';

const count = z.int().nonnegative();

/** How many trajectories hold their answer in an observation, as {@link Grounding} tells. */
export const groundingCountsSchema = z.strictObject({
  grounded: count,
  ungrounded: count,
  /** Answers of a kind that no document need state: yes or no, an option, a computed one. */
  exempt: count,
  /** Results of tools that bring evidence, and those that say that nothing was found. */
  looks: count,
  empty_looks: count,
});
export type GroundingCounts = z.infer<typeof groundingCountsSchema>;

/** The counts with one more trajectory; `before` is undefined for none. */
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

/** Says how many answers were seen; undefined where none had to be. */
export function groundingNotice({ grounded, ungrounded, exempt, looks, empty_looks }: GroundingCounts) {
  const asked = grounded + ungrounded;
  if (asked === 0) return undefined;
  const empty = empty_looks === 0 ? '' : `; ${empty_looks} of ${looks} looks came back empty`;
  const others = exempt === 0 ? '' : `; ${exempt} exempt: yes or no, options, computed answers`;
  return `${grounded} of ${asked} answers occur in an observation${others}${empty}`;
}

/** Whether so few answers were seen that the tools can't know the tasks: fewer than half. */
export function isBarelyGrounded({ grounded, ungrounded }: GroundingCounts): boolean {
  return grounded < ungrounded;
}

/** What to do where the tools do not know the tasks. */
export const groundingAdvice =
  'the tools do not know these tasks; name a corpus or a service that does (tools.wiki_search, tools.web_search)';
