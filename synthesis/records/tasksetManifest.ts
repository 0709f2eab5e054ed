import { z } from 'zod';
import { type Estimate, shareEstimate } from '../../base/statistics/estimates.ts';

const counts = z.record(z.string(), z.int().nonnegative());

/** Results of the role `check` on questions with known faults. */
export const checkerMeasureSchema = z.object({
  model: z.string(),
  /** Questions with a planted fault, and the number detected. */
  faults: z.int().nonnegative(),
  found: z.int().nonnegative(),
  /** Questions without a fault, and the number accepted. */
  clean: z.int().nonnegative(),
  passed: z.int().nonnegative(),
});
export type CheckerMeasure = z.infer<typeof checkerMeasureSchema>;

/** Results of the checker on the candidates themselves. */
const checkerWorkSchema = checkerMeasureSchema.extend({
  /** Candidates it may have dropped: the wording asks something else, or another answer fits. */
  dropped: z.int().nonnegative(),
  /** Candidates that passed all checks. */
  kept: z.int().nonnegative(),
});
export type CheckerWork = z.infer<typeof checkerWorkSchema>;

/**
 * Estimated share of kept candidates with an undetected fault, with 95% bounds, assuming the miss rate of planted
 * faults. Undefined if nothing was planted or kept.
 */
export function missedShare({ faults, found, dropped, kept }: CheckerWork): Estimate | undefined {
  const recall = shareEstimate(found, faults);
  if (!recall || kept === 0) return undefined;
  const missed = (share: number) => Math.min(1, (dropped * (1 - share)) / share / kept);
  return { value: missed(recall.value), low: missed(recall.high), high: missed(recall.low) };
}

/** Text about the measure and its meaning for kept candidates; mentions if the checker also wrote the questions. */
export function checkerText(work: CheckerWork, writer: string): string {
  const { model, faults, found, clean, passed, dropped, kept } = work;
  const own = model === writer ? '; it also wrote the questions, so its own faults may escape it' : '';
  const missed = missedShare(work);
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const estimate = missed
    ? `; by that, and ${dropped} dropped candidates, ${percent(missed.value)} of the ${kept} kept ones are wrong (at most ${percent(missed.high)}, 95%)`
    : '';
  return `the checker ${model} found ${found} of ${faults} planted faults and let ${passed} of ${clean} clean questions through${estimate}${own}`;
}

/**
 * Tasks with a number of hops whose answer a single search by their own words reveals, as `32 of 40`; empty without
 * searches.
 */
export function searchText({ searched, shown_by_search }: TasksetManifest, hops: string): string {
  return searched[hops] === undefined ? '' : `${shown_by_search[hops] ?? 0} of ${searched[hops]}`;
}

/** `taskset/manifest.json`: tasks made by a synthesis. Contains no dates, so that equal tasks give equal bytes. */
export const tasksetManifestSchema = z.object({
  format_version: z.literal(1),
  coa_distill_version: z.string(),
  config_hash: z.string(),
  profile: z.string(),
  tasks: z.int().nonnegative(),
  /** Number of tasks in `held_out.jsonl`. */
  held_out: z.int().nonnegative(),
  hops: counts,
  /** Tasks searched for by their own words, and those whose answer that search reveals, by hops. */
  searched: counts,
  shown_by_search: counts,
  /** Tasks by operation that made them, and by passed check. */
  operations: counts,
  checks: counts,
  /** Tasks by address of a needed document, most used first. */
  documents: counts,
  /** Model names by role. */
  models: z.record(z.string(), z.string()),
  checker: checkerWorkSchema.optional(),
  files: z.array(
    z.object({
      path: z.string(),
      sha256: z.string(),
      bytes: z.int().nonnegative(),
      rows: z.int().nullable(),
    }),
  ),
});
export type TasksetManifest = z.infer<typeof tasksetManifestSchema>;
