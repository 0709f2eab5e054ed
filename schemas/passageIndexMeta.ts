import { z } from 'zod';

const ofCorpus = {
  version: z.int().describe('Of the layout: another version is built again'),
  corpus_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('Of the bytes of the corpus file, compressed as they were'),
};

/** Row of `meta` in a passage index: its kind and corpus. */
export const passageIndexMetaSchema = z.strictObject({
  format: z.literal('coa-distill passage index'),
  ...ofCorpus,
  passages: z.int().positive(),
});
export type PassageIndexMeta = z.infer<typeof passageIndexMetaSchema>;

/** Row of `meta` in a dense index: the source and model of its vectors. */
export const denseIndexMetaSchema = z.strictObject({
  format: z.literal('coa-distill dense index'),
  ...ofCorpus,
  passages: z.int().positive().describe('Of the corpus; while the index is built it holds fewer'),
  model: z.string().min(1),
  passage_prefix: z.string(),
  max_chars: z.int().positive(),
  dimensions: z.int().positive(),
});
export type DenseIndexMeta = z.infer<typeof denseIndexMetaSchema>;
