import { z } from 'zod';
import { key, keyOf, positiveInt } from './keyMeaning.ts';
import { modelKey } from './models.ts';

const itKey = keyOf('select');

const semanticDedupSchema = z.strictObject({
  model: modelKey('embeddings', 'select')('Embeddings model'),
  min_cosine: itKey(
    z.number().min(0.5).max(1).default(0.95),
    'Minimum cosine of the angle between the embeddings of duplicates; depends on the model',
  ),
  max_chars: itKey(
    positiveInt.default(8_000),
    'Maximum characters of a text that is sent; longer ones are not compared by meaning and stay',
  ),
  batch_size: key(z.int().min(1).max(2_048).default(64), 'Texts of one request'),
});
export type SemanticDedupConfig = z.infer<typeof semanticDedupSchema>;

/** `dedup.trajectories`: near duplicates among trajectories of the same question and profile. */
export const trajectoryDedupSchema = z.strictObject({
  min_jaccard: itKey(
    z.number().min(0.3).max(1).default(0.8),
    'Minimum Jaccard similarity of near duplicates: shingles in common over all shingles of the two',
  ),
  shingle: itKey(
    z.int().min(1).max(50).default(5),
    'Words of one shingle; in scripts without spaces every character is a word',
  ),
  semantic: semanticDedupSchema
    .optional()
    .describe('Duplicates by meaning; absent: what is said in other words is not a duplicate'),
});
export type TrajectoryDedupConfig = z.infer<typeof trajectoryDedupSchema>;

/** The `dedup` section. `filters.duplicate_questions` handles tasks of the same question. */
export const dedupConfigSchema = z.strictObject({
  trajectories: trajectoryDedupSchema
    .optional()
    .describe('Near-duplicate trajectories; absent: not looked for'),
});
