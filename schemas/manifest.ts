import { z } from 'zod';

/** One file of a dataset folder. */
export const manifestFileSchema = z.object({
  /** Path inside the dataset folder, with forward slashes. */
  path: z.string(),
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  /** Rows it holds; null for files that hold no rows. */
  rows: z.int().nonnegative().nullable(),
  tokens: z.int().nonnegative().nullable(),
  trained_tokens: z.int().nonnegative().nullable(),
});
/** See {@link manifestFileSchema}. */
export type ManifestFile = z.infer<typeof manifestFileSchema>;

/** `dataset/manifest.json`: what the folder holds and what it was made with. No dates, so equal data gives equal bytes. */
export const manifestSchema = z.object({
  format_version: z.literal(1),
  coa_distill_version: z.string(),
  config_hash: z.string(),
  rows: z.int().nonnegative(),
  tokens: z.int().nonnegative(),
  trained_tokens: z.int().nonnegative(),
  /** Rows by profile. */
  profiles: z.record(z.string(), z.int().nonnegative()),
  tokenizer: z.object({ name: z.string(), sha256: z.string(), encoder: z.string() }),
  chat_template: z.string(),
  system_prompt: z.string(),
  cutoff_len: z.int().positive(),
  /** Token borders that no segment border falls on; the export fails above zero. */
  straddling_tokens: z.int().nonnegative(),
  files: z.array(manifestFileSchema),
});
/** See {@link manifestSchema}. */
export type Manifest = z.infer<typeof manifestSchema>;
