import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';

const counts = z.record(z.string(), z.int().nonnegative());

/** What became of a stage's inputs. `entered = emitted_inputs + all dropped + all failed` once it is complete. */
export const stageCountsSchema = z.object({
  entered: z.int().nonnegative(),
  /** Inputs that went on. */
  emitted_inputs: z.int().nonnegative(),
  /** Records that they went on as. */
  emitted_records: z.int().nonnegative(),
  /** Drop reason -> inputs. */
  dropped: counts,
  /** Failure cause -> inputs. */
  failed: counts,
});
export type StageCounts = z.infer<typeof stageCountsSchema>;

/** `<stage>/stage.json`. */
export const stageFileSchema = z.object({
  stage: z.string(),
  version: z.int().nonnegative(),
  /** Content id of everything that shapes the stage's records. */
  config_hash: z.string(),
  /** The stage's own settings, to name those that differ when the configuration changes. */
  settings: jsonObjectSchema.optional(),
  /** False while work is pending. */
  complete: z.boolean(),
  /**
   * Why all of it is stale although the configuration is the same: `asked` by the user, or an earlier stage
   * was rerun since. What stands here stays until then.
   */
  owed_anew: z.enum(['asked', 'inputs']).optional(),
  ...stageCountsSchema.shape,
});
export type StageFile = z.infer<typeof stageFileSchema>;
