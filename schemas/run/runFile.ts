import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';
import { datasetFormatNames } from '../config/datasetFormatNames.ts';
import { profileDeclarationSchema } from '../config/profiles.ts';
import { onUnreadChoices } from '../interchange/onUnread.ts';
import { turnMapSchema } from '../interchange/turnMap.ts';

/** What an imported run was made of: in `run.json`, so that its later stages can be rerun without the files. */
const importedFilesSchema = z.object({
  format: z.enum(['atif', 'adp', 'openai', 'afm', 'sft']),
  files: z.array(
    z.object({
      path: z.string(),
      /** Base name and SHA-256. */
      identity: z.string(),
    }),
  ),
  /** `--profile`; absent where the rows say it themselves. */
  profile: z.string().optional(),
  /** `--map`: tool names of the files -> tags of the profile. */
  tools: z.record(z.string(), z.string()),
  /** The profile that was built from the rows, where none was named that fits; and its tags, by tools' names. */
  built: z
    .object({ declaration: profileDeclarationSchema, tools: z.record(z.string(), z.string()) })
    .optional(),
  /** `--map`: how turns of text are read; absent where calls and results are fields. */
  turns: turnMapSchema.optional(),
  /** `--on-unread`; absent: `refuse`. */
  on_unread: z.enum(onUnreadChoices).optional(),
});

export type ImportedFiles = z.infer<typeof importedFilesSchema>;

const spentAmounts = {
  /** US dollars that were billed, by all sessions; 0 where no price is known. */
  cost_usd: z.number(),
  /** Prompt and answer, as billed. */
  tokens: z.int(),
  /** Requests sent, retries included; what the cache answers is not a request. */
  requests: z.int().nonnegative(),
};

/** What a run took: the one figure that every command, page and file names. */
const runSpendingSchema = z.object({
  ...spentAmounts,
  /** Requests that broke off or are in flight, and the most that they may add: budgets are kept by it. */
  unbilled: z.object(spentAmounts),
});
export type RunSpending = Readonly<z.infer<typeof runSpendingSchema>>;

/** `run.json`, the manifest of a run: what it was started with, and what it took. It names environment variables, never what they hold. */
export const runFileSchema = z.object({
  format_version: z.literal(1),
  name: z.string(),
  /** When the run folder was made, ISO 8601. */
  created_at: z.string(),
  coa_distill_version: z.string(),
  node_version: z.string(),
  seed: z.int().nonnegative(),
  /** The configuration file, as a path from the run's folder. */
  config_file: z.string(),
  /** `--set` of the command line, `key=value` each; the values stand in `config`. */
  set: z.array(z.string()).optional(),
  /** Name of the dataset inside its files; independent of the run's name. */
  dataset_name: z.string(),
  /** The configuration with every default filled in, paths resolved. */
  config: jsonObjectSchema,
  /** The part of it that shapes records, with files named by their content. */
  shaping: jsonObjectSchema,
  /** Content id of `shaping`. */
  config_hash: z.string(),
  /** Stage name -> content id of everything that shapes the stage's records, earlier stages included. */
  stage_hashes: z.record(z.string(), z.string()),
  /** Set in a run that was decided again from the records of another: that run, and the settings that were changed. */
  variant_of: z.object({ run: z.string(), set: z.array(z.string()) }).optional(),
  /** Formats that `export --to` added to the dataset: it has them whenever it is made again. */
  added_formats: z.array(z.enum(datasetFormatNames)).optional(),
  /** Set in a run whose first records were imported. */
  imported: importedFilesSchema.optional(),
  /** What all sessions took; absent while one is at work, and after one that was killed. */
  spent: runSpendingSchema.optional(),
});
export type RunFile = z.infer<typeof runFileSchema>;

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
  settings: jsonObjectSchema,
  /** False while work is pending. */
  complete: z.boolean(),
  /**
   * Why all of it is stale although the configuration is the same: `asked` by the user, or an earlier stage
   * was rerun since. What stands here stays until then.
   */
  stale: z.enum(['asked', 'inputs']).optional(),
  /**
   * What `index` counts in the stage's journals. `upstream_inputs`: the inputs of the stage before, which is one that
   * looks at one record at a time; so the stage can work while that one does. Absent: the records that the stage before
   * emitted.
   */
  index_of: z.literal('upstream_inputs').optional(),
  /** Import: on how many records each remark was made, such as `image_url_left_out`. Absent where there are none. */
  remarks: counts.optional(),
  ...stageCountsSchema.shape,
});
export type StageFile = z.infer<typeof stageFileSchema>;
