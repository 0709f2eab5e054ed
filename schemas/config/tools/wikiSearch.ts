import { z } from 'zod';
import {
  inputPath,
  key,
  keyOf,
  placePath,
  plainText,
  positive,
  positiveInt,
  serviceUrl,
} from '../keyMeaning.ts';
import { modelKey } from '../models.ts';

const rolloutKey = keyOf('rollout');

/** Semantic passage search: the embedding model and its input. */
const denseConfigSchema = z.strictObject({
  model: modelKey('embeddings', 'rollout')('Embeddings model'),
  batch_size: key(z.int().min(1).max(2_048).default(64), 'Texts of one request while the index is built'),
  max_chars: rolloutKey(
    positiveInt.default(2_000),
    'Characters that are sent of one passage; the rest of a longer one is left out',
  ),
  query_prefix: rolloutKey(plainText.default(''), 'Text before each query; "query: " for E5 models'),
  faiss: rolloutKey(
    placePath.optional(),
    'A flat FAISS index (IndexFlatIP or IndexFlatL2) of the passages in the order of the corpus, which is read instead of the dense index that coa-distill tools index builds',
  ),
  passage_prefix: rolloutKey(plainText.default(''), 'Text before each passage; "passage: " for E5 models'),
});

/** The `tools.wiki_search` section: passages of an encyclopedia. */
export const wikiSearchConfigSchema = z
  .strictObject({
    corpus: rolloutKey(
      inputPath.optional(),
      'Passages, of which an index is built: JSONL of {"id", "contents"}, also .gz; contents = "Title"\\ntext',
    ),
    index: rolloutKey(placePath.optional(), 'Instead of corpus: its index, built by coa-distill tools index'),
    url: rolloutKey(
      serviceUrl.optional(),
      'Instead of corpus: a service that answers POST with passages, as coa-distill serve tools does; which address it has shapes nothing',
      { presence: 'own_service' },
    ),
    api_key_env: key(
      plainText.default(''),
      'Environment variable of the key of url; "" where none is needed',
    ),
    timeout_s: key(positive.default(30), 'Seconds that one answer of url may take'),
    top_k: rolloutKey(positiveInt.max(100).default(3), 'Results of a query: how many passages it shows'),
    mode: rolloutKey(
      z.enum(['bm25', 'dense', 'hybrid']).default('bm25'),
      'How passages are found; bm25: by words; dense: by meaning; hybrid: by both, with their ranks fused',
    ),
    dense: denseConfigSchema
      .optional()
      .describe('Embeddings of passages and queries, for mode dense and hybrid'),
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
  })
  .describe('Passages of an encyclopedia');
export type WikiSearchConfig = z.infer<typeof wikiSearchConfigSchema>;
export type DenseConfig = z.infer<typeof denseConfigSchema>;
