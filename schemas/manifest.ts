import { z } from 'zod';
import { maskConfigSchema } from './config/dataset.ts';
import { datasetFormatNames } from './config/datasetFormatNames.ts';
import { groundingCountsSchema } from './groundingCounts.ts';
import { mixedFileCountsSchema } from './mixedRow.ts';
import { preferenceCountsSchema } from './preferenceCounts.ts';
import { rolloutRatesSchema } from './rolloutRates.ts';
import { tasksByTestsSchema } from './tasksByTests.ts';
import { rlTaskCountsSchema } from './training/taskLine.ts';

/** The parts of a dataset: rows to train on, and rows to measure the loss on. */
export const splitSchema = z.enum(['train', 'validation']);
export type Split = z.infer<typeof splitSchema>;

/** One file of a dataset folder. */
export const manifestFileSchema = z.object({
  /** Path inside the dataset folder, with forward slashes. */
  path: z.string(),
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  /** The split whose rows it holds; null for files that hold no rows. */
  split: splitSchema.nullable(),
  /** Rows it holds; null for files that hold no rows. */
  rows: z.int().nonnegative().nullable(),
  tokens: z.int().nonnegative().nullable(),
  trained_tokens: z.int().nonnegative().nullable(),
});
export type ManifestFile = z.infer<typeof manifestFileSchema>;

/** `dataset/manifest.json`: what the folder holds and what it was made with. No dates, so equal data gives equal bytes. */
export const manifestSchema = z.object({
  format_version: z.literal(1),
  coa_distill_version: z.string(),
  config_hash: z.string(),
  rows: z.int().nonnegative(),
  tokens: z.int().nonnegative(),
  trained_tokens: z.int().nonnegative(),
  /** Tasks that the rows come from; absent where no task has a row of a second rollout. */
  tasks: z.int().nonnegative().optional(),
  /** Rows of second tries, which were told that the first was wrong; absent where there are none. */
  second_tries: z.int().positive().optional(),
  /** Rows by profile. */
  profiles: z.record(z.string(), z.int().nonnegative()),
  /** Rows by the model that wrote their text itself; absent where there are none. */
  models: z.record(z.string(), z.int().nonnegative()).optional(),
  /** Rows by the member of the mixture of teachers that made them; absent without a mixture. */
  members: z.record(z.string(), z.int().nonnegative()).optional(),
  /** Tasks whose programs were tested, by the number of tests; absent where there are none. */
  tasks_by_tests: tasksByTestsSchema.optional(),
  /** Rows whose answer an observation holds, of profiles with tools that bring evidence; absent where there are none. */
  grounding: groundingCountsSchema.optional(),
  tokenizer: z.object({ name: z.string(), sha256: z.string(), encoder: z.string() }),
  /** A preset's name, or the file's name and the SHA-256 of the template. */
  chat_template: z.object({ name: z.string(), sha256: z.string() }),
  system_prompt: z.string(),
  mask: maskConfigSchema,
  cutoff_len: z.int().positive(),
  /** Rows whose end was cut off to fit. */
  cut_rows: z.int().nonnegative(),
  /** Added tokens of the tokenizer that stood in text and were escaped. */
  disarmed_tokens: z.int().nonnegative(),
  /** Texts that were brought to Unicode NFC, or rid of lone surrogates, for the row. */
  repaired_texts: z.int().nonnegative(),
  /** `whole`: the row's text as a whole has the very ids of its segments; `apart`: segments were encoded by themselves. */
  segments_encoded: z.enum(['whole', 'apart']),
  /** Segment borders inside a token of the whole text; above zero only where segments are encoded apart. */
  boundary_tokens: z.int().nonnegative(),
  formats: z.array(z.enum(datasetFormatNames)),
  /** Rows by split. */
  splits: z.object({ train: z.int().nonnegative(), validation: z.int().nonnegative() }),
  /** How often tasks were solved; absent where no task has more than one rollout. */
  rollouts: rolloutRatesSchema.optional(),
  /** Pairs of the formats that compare two trajectories; absent where there is no such format. */
  preference: preferenceCountsSchema.optional(),
  /** Tasks of the formats of tasks; absent where there is no such format. */
  rl_tasks: rlTaskCountsSchema.optional(),
  /** Rows of `dataset.mix`, file by file: they are among `rows`, and stand behind all others; absent without it. */
  mix: z.array(mixedFileCountsSchema).optional(),
  files: z.array(manifestFileSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;
