import { z } from 'zod';

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

/** The measure in words, and whether the checker wrote the questions itself. */
export function checkerText({ model, faults, found, clean, passed }: CheckerMeasure, writer: string): string {
  const own = model === writer ? '; it also wrote the questions, so its own faults may escape it' : '';
  return `the checker ${model} found ${found} of ${faults} planted faults and let ${passed} of ${clean} clean questions through${own}`;
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
  /** Tasks by their hops, by operation that made them, and by check that they passed. */
  hops: counts,
  operations: counts,
  checks: counts,
  /** Tasks by address of a document that they need, the most used first. */
  documents: counts,
  /** Model names by what they were asked for. */
  models: z.record(z.string(), z.string()),
  /** Absent where no model reads questions back. */
  checker: checkerMeasureSchema.optional(),
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
