import { z } from 'zod';

/** Flaws that can be planted in a solution; a task's flaw is drawn in this order. */
export const plantedFlawSchema = z.enum([
  'wrong_answer',
  'redundant_query',
  'too_few_interactions',
  'missing_reflection',
  /** A wrong first answer that a double check corrects. */
  'corrected_double_check',
  /** At every ask: the task fails. */
  'malformed_json',
  /** Right when asked again. */
  'malformed_json_once',
  'refusal',
  'tag_in_text',
  /** A program that never ends, then a good one. */
  'hanging_code',
  'near_redundant_query',
  /** A program prints a key and an e-mail address. */
  'secret_in_observation',
  /** Thoughts and plans in French. */
  'foreign_language',
  /** A plan of about 10,000 tokens. */
  'rambling',
  /** The last thought is an earlier one (rule duplicate_block of check). */
  'repeated_thought',
  /** A plea to the grader before the answer, against the instructions. */
  'talk_to_grader',
  'duplicate_question',
]);
export type PlantedFlaw = z.infer<typeof plantedFlawSchema>;

/** Flaws that have a rate: all but duplicates, which only the task file can hold. */
export const ratedFlawSchema = plantedFlawSchema.exclude(['duplicate_question']);
export type RatedFlaw = z.infer<typeof ratedFlawSchema>;

/** Share of the tasks with a flaw, by flaw. */
export type PlantedRates = Readonly<Partial<Record<RatedFlaw, number>>>;

/** A task's question and its flaw, as a line of a script names them. */
export const plantedRecordSchema = z.object({
  question: z.string(),
  profile: z.string(),
  flaw: plantedFlawSchema.nullable(),
});
export type PlantedRecord = z.infer<typeof plantedRecordSchema>;

/** Rates at which the tasks of AFM's released files are played with a flaw. */
export const exampleFlaws: PlantedRates = {
  wrong_answer: 0.08,
  redundant_query: 0.05,
  too_few_interactions: 0.05,
  malformed_json: 0.03,
  malformed_json_once: 0.04,
  refusal: 0.03,
  tag_in_text: 0.03,
};
