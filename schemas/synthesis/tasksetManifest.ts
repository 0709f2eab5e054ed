import { z } from 'zod';

const counts = z.record(z.string(), z.int().nonnegative());

/** `taskset/manifest.json`: the tasks that a synthesis made. No dates, so equal tasks give equal bytes. */
export const tasksetManifestSchema = z.object({
  format_version: z.literal(1),
  coa_distill_version: z.string(),
  config_hash: z.string(),
  profile: z.string(),
  tasks: z.int().nonnegative(),
  /** Of them those in `held_out.jsonl`. */
  held_out: z.int().nonnegative(),
  /** Tasks by their hops, by the operation that made them last, and by check that they passed. */
  hops: counts,
  operations: counts,
  checks: counts,
  /** Tasks by address of a document that they need, the most used first. */
  documents: counts,
  /** Model names by what they were asked for. */
  models: z.record(z.string(), z.string()),
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
