import { z } from 'zod';
import { maskConfigSchema } from './config/dataset.ts';
import { datasetFormatNames } from './config/datasetFormatNames.ts';
import { groundingCountsSchema } from './groundingCounts.ts';
import { mixedFileCountsSchema } from './mixedRow.ts';
import { preferenceCountsSchema } from './preferenceCounts.ts';
import { rolloutRatesSchema } from './rolloutRates.ts';
import { tasksByTestsSchema } from './tasksByTests.ts';
import { rlTaskCountsSchema } from './training/taskLine.ts';

/** Parts of a dataset: training rows, and rows for measuring the loss. */
export const splitSchema = z.enum(['train', 'validation']);
export type Split = z.infer<typeof splitSchema>;

/** One file of a dataset folder. */
export const manifestFileSchema = z.object({
  path: z.string(),
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  /** Split of its rows; null for files without rows. */
  split: splitSchema.nullable(),
  /** Number of rows; null for files without rows. */
  rows: z.int().nonnegative().nullable(),
  tokens: z.int().nonnegative().nullable(),
  trained_tokens: z.int().nonnegative().nullable(),
});
export type ManifestFile = z.infer<typeof manifestFileSchema>;

/** `dataset/manifest.json`: contents and settings of the folder. No dates, so equal data gives equal bytes. */
export const manifestSchema = z.object({
  format_version: z.literal(1),
  coa_distill_version: z.string(),
  config_hash: z.string(),
  rows: z.int().nonnegative(),
  tokens: z.int().nonnegative(),
  trained_tokens: z.int().nonnegative(),
  /** Tasks of the rows; absent unless a task has a row of a second rollout. */
  tasks: z.int().nonnegative().optional(),
  /** Rows of second tries, which were told that the first was wrong; absent without any. */
  second_tries: z.int().positive().optional(),
  profiles: z.record(z.string(), z.int().nonnegative()),
  /** Rows by the model that wrote their whole text; absent without any. */
  models: z.record(z.string(), z.int().nonnegative()).optional(),
  /** Rows by mixture member; absent without a mixture. */
  members: z.record(z.string(), z.int().nonnegative()).optional(),
  /** Programming tasks by number of tests; absent without any. */
  tasks_by_tests: tasksByTestsSchema.optional(),
  /** Rows with their answer in an observation, for profiles with evidence tools; absent without any. */
  grounding: groundingCountsSchema.optional(),
  tokenizer: z.object({ name: z.string(), sha256: z.string(), encoder: z.string() }),
  /** A preset's name, or the file's name and the SHA-256 of the template. */
  chat_template: z.object({ name: z.string(), sha256: z.string() }),
  system_prompt: z.string(),
  mask: maskConfigSchema,
  cutoff_len: z.int().positive(),
  /** Rows truncated to fit. */
  cut_rows: z.int().nonnegative(),
  /** Added tokens of the tokenizer that occurred in text and were escaped. */
  disarmed_tokens: z.int().nonnegative(),
  /** Texts converted to Unicode NFC, or stripped of lone surrogates. */
  repaired_texts: z.int().nonnegative(),
  /** `whole`: encoding the whole row gives the ids of its segments; `apart`: segments were encoded separately. */
  segments_encoded: z.enum(['whole', 'apart']),
  /** Segment borders inside a token of the whole text; above 0 only if encoded apart. */
  boundary_tokens: z.int().nonnegative(),
  formats: z.array(z.enum(datasetFormatNames)),
  splits: z.object({ train: z.int().nonnegative(), validation: z.int().nonnegative() }),
  /** Pass rates; absent unless a task has several rollouts. */
  rollouts: rolloutRatesSchema.optional(),
  /** Pairs of preference formats; absent without such a format. */
  preference: preferenceCountsSchema.optional(),
  /** Tasks of task formats; absent without such a format. */
  rl_tasks: rlTaskCountsSchema.optional(),
  /** Rows of `dataset.mix` by file, included in `rows` and placed after all others; absent without it. */
  mix: z.array(mixedFileCountsSchema).optional(),
  files: z.array(manifestFileSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;
