import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';
import { datasetFormatNames } from '../config/datasetFormatNames.ts';
import { profileDeclarationSchema } from '../config/profiles.ts';
import { onUnreadChoices } from '../interchange/onUnread.ts';
import { turnMapSchema } from '../interchange/turnMap.ts';

/** Source of an imported run: in `run.json`, so that later stages can be rerun without the files. */
const importedFilesSchema = z.object({
  format: z.enum(['atif', 'adp', 'openai', 'afm', 'sft']),
  files: z.array(
    z.object({
      path: z.string(),
      /** Base name and SHA-256. */
      identity: z.string(),
    }),
  ),
  /** `--profile`; absent if the rows state it. */
  profile: z.string().optional(),
  /** `--map`: tool names of the files -> tags of the profile. */
  tools: z.record(z.string(), z.string()),
  /** Profile built from the rows if no named one fits, and its tags by tool name. */
  built: z
    .object({ declaration: profileDeclarationSchema, tools: z.record(z.string(), z.string()) })
    .optional(),
  /** `--map`: rules for reading turns of text; absent if calls and results are fields. */
  turns: turnMapSchema.optional(),
  /** `--on-unread`; absent: `refuse`. */
  on_unread: z.enum(onUnreadChoices).optional(),
});

export type ImportedFiles = z.infer<typeof importedFilesSchema>;

const spentAmounts = {
  /** Billed US dollars over all sessions; 0 without a known price. */
  cost_usd: z.number(),
  /** Billed tokens of prompt and answer. */
  tokens: z.int(),
  /** Requests sent, retries included; cached answers do not count. */
  requests: z.int().nonnegative(),
};

/** Cost of a run: the single figure that every command, page and file shows. */
const runSpendingSchema = z.object({
  ...spentAmounts,
  /** Broken or open requests, and their maximum cost: budgets use it. */
  unbilled: z.object(spentAmounts),
});
export type RunSpending = Readonly<z.infer<typeof runSpendingSchema>>;

/** `run.json`, the manifest of a run: its inputs and cost. It names environment variables, never their values. */
export const runFileSchema = z.object({
  format_version: z.literal(1),
  name: z.string(),
  /** Creation of the run folder, ISO 8601. */
  created_at: z.string(),
  coa_distill_version: z.string(),
  node_version: z.string(),
  seed: z.int().nonnegative(),
  /** Configuration file, relative to the run's folder. */
  config_file: z.string(),
  /** `--set` of the command line, `key=value` each; the values are part of `config`. */
  set: z.array(z.string()).optional(),
  /** Dataset name in its files; independent of the run's name. */
  dataset_name: z.string(),
  /** Configuration with all defaults and resolved paths. */
  config: jsonObjectSchema,
  /** Part of it that affects records, with files named by content. */
  shaping: jsonObjectSchema,
  /** Content id of `shaping`. */
  config_hash: z.string(),
  /** Stage name -> content id of all inputs that affect the stage's records, earlier stages included. */
  stage_hashes: z.record(z.string(), z.string()),
  /** Set in a variant made from another run's records: that run, and the changed settings. */
  variant_of: z.object({ run: z.string(), set: z.array(z.string()) }).optional(),
  /** Formats added by `export --to`, included whenever the dataset is rebuilt. */
  added_formats: z.array(z.enum(datasetFormatNames)).optional(),
  /** Set in a run whose first records were imported. */
  imported: importedFilesSchema.optional(),
  /** Cost of all sessions; absent during a session and after a killed one. */
  spent: runSpendingSchema.optional(),
});
export type RunFile = z.infer<typeof runFileSchema>;

const counts = z.record(z.string(), z.int().nonnegative());

/** Results of a stage's inputs. `entered = emitted_inputs + all dropped + all failed` once it is complete. */
export const stageCountsSchema = z.object({
  entered: z.int().nonnegative(),
  /** Inputs that passed. */
  emitted_inputs: z.int().nonnegative(),
  /** Records emitted for them. */
  emitted_records: z.int().nonnegative(),
  /** Drop reason -> inputs. */
  dropped: counts,
  failed: counts,
});
export type StageCounts = z.infer<typeof stageCountsSchema>;

/** `<stage>/stage.json`. */
export const stageFileSchema = z.object({
  stage: z.string(),
  version: z.int().nonnegative(),
  /** Content id of all inputs that affect the stage's records. */
  config_hash: z.string(),
  /** The stage's own settings, to name changed ones. */
  settings: jsonObjectSchema,
  /** False while work is pending. */
  complete: z.boolean(),
  /**
   * Reason why the stage is stale despite an equal configuration: `asked` by the user, or an earlier stage was rerun.
   * Its records stay until the rerun.
   */
  stale: z.enum(['asked', 'inputs']).optional(),
  /**
   * Meaning of `index` in the stage's journals. `upstream_inputs`: inputs of the previous stage, which processes one
   * record at a time, so that both can run concurrently. Absent: records emitted by the previous stage.
   */
  index_of: z.literal('upstream_inputs').optional(),
  /** Import: number of records per remark, such as `image_url_left_out`. Absent without any. */
  remarks: counts.optional(),
  ...stageCountsSchema.shape,
});
export type StageFile = z.infer<typeof stageFileSchema>;
