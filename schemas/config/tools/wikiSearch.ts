import { z } from 'zod';
import { configPathSchema } from '../paths.ts';
import { serviceUrlSchema } from '../serviceUrl.ts';
import { toolEmbeddingsConfigSchema } from './toolModel.ts';

/** How passages are found by meaning: the model of their embeddings, and what it is given. */
const denseConfigSchema = toolEmbeddingsConfigSchema.extend({
  batch_size: z.int().min(1).max(2_048).default(64).describe('Texts of one request while the index is built'),
  max_chars: z
    .int()
    .positive()
    .default(2_000)
    .describe('Sent of one passage; the rest of a longer one is left out'),
  query_prefix: z.string().default('').describe('Put before each query; "query: " for the E5 models'),
  passage_prefix: z.string().default('').describe('Put before each passage; "passage: " for the E5 models'),
});

/** The `tools.wiki_search` section: passages of an encyclopedia. */
export const wikiSearchConfigSchema = z
  .strictObject({
    corpus: configPathSchema
      .optional()
      .describe('JSONL of {"id", "contents"}, also .gz; contents = "Title"\\ntext'),
    index: configPathSchema
      .optional()
      .describe('Instead of corpus: what coa-distill tools index built of it'),
    url: serviceUrlSchema
      .optional()
      .describe(
        'Instead of corpus: a service that answers POST with passages, as coa-distill tools serve does',
      ),
    api_key_env: z
      .string()
      .default('')
      .describe('Environment variable that holds the key of url; "" when none is needed'),
    timeout_s: z.number().positive().default(30).describe('For one answer of url'),
    top_k: z.int().positive().max(100).default(3).describe('Passages that a query shows'),
    mode: z
      .enum(['bm25', 'dense', 'hybrid'])
      .default('bm25')
      .describe('By words, by meaning, or by both with their ranks fused'),
    dense: denseConfigSchema.optional().describe('Embeddings that passages are also found by'),
  })
  .superRefine(({ corpus, index, url, mode, dense }, context) => {
    const sources = [corpus, index, url].filter((source) => source !== undefined);
    if (sources.length !== 1)
      context.addIssue({
        code: 'custom',
        message: `one of corpus, index and url, got ${sources.length}`,
      });
    if (mode === 'bm25') return;
    if (index === undefined)
      context.addIssue({
        code: 'custom',
        path: ['mode'],
        message: `index beside ${mode}: build one with coa-distill tools index CORPUS --dense`,
      });
    if (dense === undefined)
      context.addIssue({
        code: 'custom',
        path: ['mode'],
        message: `dense beside ${mode}: the model of the embeddings`,
      });
  });
/** See {@link wikiSearchConfigSchema}. */
export type WikiSearchConfig = z.infer<typeof wikiSearchConfigSchema>;
/** See {@link WikiSearchConfig}. */
export type DenseConfig = z.infer<typeof denseConfigSchema>;
