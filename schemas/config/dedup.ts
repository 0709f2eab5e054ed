import { z } from 'zod';
import { key, keyOf, positiveInt } from './keyMeaning.ts';
import { modelKey } from './models.ts';

type Shapes = ReturnType<typeof keyOf>;

/** A shingle: so many words, or characters, in a row; texts are as alike as the sets of their shingles. */
const shingleSchema = (itKey: Shapes, unit: 'word' | 'character', size: number) =>
  z
    .strictObject({
      unit: itKey(
        z.enum(['word', 'character']).default(unit),
        'word: also in scripts without spaces, where every character is a word; character: for short texts',
      ),
      size: itKey(z.int().min(1).max(50).default(size), 'Words or characters of one shingle'),
    })
    .prefault({})
    .describe('What two texts are compared by');

const minJaccardSchema = (itKey: Shapes) =>
  itKey(
    z.number().min(0.3).max(1).default(0.8),
    'Least Jaccard similarity of near duplicates: shingles in common over all shingles of the two',
  );

/** Duplicates by meaning, told by an embeddings model. */
const semanticDedupSchema = (stage: string, itKey = keyOf(stage)) =>
  z
    .strictObject({
      model: modelKey('embeddings', stage)('Embeddings model'),
      min_cosine: itKey(
        z.number().min(0.5).max(1).default(0.95),
        'Least cosine of the angle between the embeddings of duplicates; depends on the model',
      ),
      max_chars: itKey(
        positiveInt.default(8_000),
        'Most characters of a text that is sent; longer ones are not compared by meaning and stay',
      ),
      batch_size: key(z.int().min(1).max(2_048).default(64), 'Texts of one request'),
    })
    .optional()
    .describe('Duplicates by meaning; absent: what is said in other words is not a duplicate');
/** Settings of duplicates by meaning. */
export type SemanticDedupConfig = NonNullable<z.infer<ReturnType<typeof semanticDedupSchema>>>;

const dedupKey = keyOf('dedup');

/** `dedup.questions`: tasks that ask nearly the same of the same profile. */
export const questionDedupSchema = z.strictObject({
  min_jaccard: minJaccardSchema(dedupKey),
  shingle: shingleSchema(dedupKey, 'character', 5),
  same_numbers: dedupKey(
    z.boolean().default(true),
    'Only questions with the same numbers in digits are near duplicates: 17 + 25 is not 17 + 26. Names, opposites, ordinals and negation must agree in any case',
  ),
  semantic: semanticDedupSchema('dedup'),
});
export type QuestionDedupConfig = z.infer<typeof questionDedupSchema>;

const selectKey = keyOf('select');

/** `dedup.trajectories`: trajectories of the same profile whose question and model text are nearly the same. */
export const trajectoryDedupSchema = z.strictObject({
  min_jaccard: minJaccardSchema(selectKey),
  shingle: shingleSchema(selectKey, 'word', 5),
  semantic: semanticDedupSchema('select'),
});
export type TrajectoryDedupConfig = z.infer<typeof trajectoryDedupSchema>;

/**
 * The `dedup` section: near duplicates. Questions that are equal are dropped without it, as
 * `filters.duplicate_questions` says; `keep` beside `questions` is a contradiction and refused.
 */
export const dedupConfigSchema = z.strictObject({
  questions: questionDedupSchema
    .optional()
    .describe(
      'Near-duplicate questions: the task whose id stands first stays, whatever the order; absent: only equal questions are duplicates, and the first in the order of the task files stays',
    ),
  trajectories: trajectoryDedupSchema
    .optional()
    .describe('Near-duplicate trajectories; absent: not looked for'),
});
export type DedupConfig = z.infer<typeof dedupConfigSchema>;
