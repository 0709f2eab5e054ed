import { z } from 'zod';
import { type Estimate, shareEstimate } from '../../base/statistics/estimates.ts';

const counts = z.record(z.string(), z.int().nonnegative());

/** How the role `check` did on questions whose faults are known, before it was trusted. */
export const checkerMeasureSchema = z.object({
  model: z.string(),
  /** Questions with a planted fault, and those of them that it found. */
  faults: z.int().nonnegative(),
  found: z.int().nonnegative(),
  /** Questions without one, and those that it let through. */
  clean: z.int().nonnegative(),
  passed: z.int().nonnegative(),
});
export type CheckerMeasure = z.infer<typeof checkerMeasureSchema>;

/** What the checker did with the candidates themselves. */
const checkerWorkSchema = checkerMeasureSchema.extend({
  /** Candidates that it may have dropped: whose words ask something else, or that another answer fits. */
  dropped: z.int().nonnegative(),
  /** Candidates that passed all checks. */
  kept: z.int().nonnegative(),
});
export type CheckerWork = z.infer<typeof checkerWorkSchema>;

/**
 * Share of the kept candidates whose fault the checker did not see, with its 95% bounds: as many faulty ones were missed
 * for each that was found as among the planted ones. Undefined where nothing was planted or kept.
 */
export function missedShare({ faults, found, dropped, kept }: CheckerWork): Estimate | undefined {
  const recall = shareEstimate(found, faults);
  if (!recall || kept === 0) return undefined;
  const missed = (share: number) => Math.min(1, (dropped * (1 - share)) / share / kept);
  return { value: missed(recall.value), low: missed(recall.high), high: missed(recall.low) };
}

/** The measure in words, what it says of the kept candidates, and whether the checker wrote the questions itself. */
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

/** Of tasks with so many hops those whose answer one search by their own words shows, as `32 of 40`; empty where nobody searched. */
export function searchText({ searched, shown_by_search }: TasksetManifest, hops: string): string {
  return searched[hops] === undefined ? '' : `${shown_by_search[hops] ?? 0} of ${searched[hops]}`;
}

/** `taskset/manifest.json`: the tasks that a synthesis made. No dates, so equal tasks give equal bytes. */
export const tasksetManifestSchema = z.object({
  format_version: z.literal(1),
  coa_distill_version: z.string(),
  config_hash: z.string(),
  profile: z.string(),
  tasks: z.int().nonnegative(),
  /** Of them those in `held_out.jsonl`. */
  held_out: z.int().nonnegative(),
  /** Tasks by their hops. */
  hops: counts,
  /** By hops, tasks whose own words were searched for, and those of them whose answer that one search shows. */
  searched: counts,
  shown_by_search: counts,
  /** Tasks by operation that made them, and by check that they passed. */
  operations: counts,
  checks: counts,
  /** Tasks by address of a document that they need, the most used first. */
  documents: counts,
  /** Model names by what they were asked for. */
  models: z.record(z.string(), z.string()),
  /** Absent where no model reads questions back. */
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
