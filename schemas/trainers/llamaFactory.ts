import { z } from 'zod';

const humanOrObservation = z.strictObject({
  from: z.enum(['human', 'observation']),
  value: z.string().min(1),
});
const gpt = z.strictObject({ from: z.literal('gpt'), value: z.string().min(1) });

/**
 * A row for stock LLaMA-Factory with `template: empty`: the texts carry the chat markup themselves and `gpt` turns
 * are trained. Human and observation stand on even places, gpt on odd ones, in an even number of turns; LLaMA-Factory
 * drops other rows with no more than a warning.
 */
export const llamaFactoryRowSchema = z.strictObject({
  conversations: z
    .array(z.union([humanOrObservation, gpt]))
    .min(2)
    .refine((turns) => turns.length % 2 === 0, 'expected an even number of turns')
    .refine(
      (turns) => turns.every((turn, place) => (turn.from === 'gpt') === (place % 2 === 1)),
      'expected gpt on odd places and nothing else there',
    ),
});
export type LlamaFactoryRow = z.infer<typeof llamaFactoryRowSchema>;

/**
 * A row in LLaMA-Factory's ranking layout with `template: empty`: one turn up to the answers, which carries the chat
 * markup, and the two answers. LLaMA-Factory trains the whole of both, what tools wrote included.
 */
const llamaFactoryPairSchema = z.strictObject({
  conversations: z.tuple([humanOrObservation]),
  chosen: gpt,
  rejected: gpt,
});
export type LlamaFactoryPair = z.infer<typeof llamaFactoryPairSchema>;

/** `dataset_info.json` of LLaMA-Factory for those rows; keys left out would become None, so all stand here. */
export const shareGptDatasetInfoSchema = z.record(
  z.string(),
  z.strictObject({
    file_name: z.string(),
    formatting: z.literal('sharegpt'),
    /** Whether a row is a pair. */
    ranking: z.boolean(),
    split: z.literal('train'),
    columns: z.strictObject({
      messages: z.literal('conversations'),
      chosen: z.literal('chosen').optional(),
      rejected: z.literal('rejected').optional(),
    }),
    tags: z.strictObject({
      role_tag: z.literal('from'),
      content_tag: z.literal('value'),
      user_tag: z.literal('human'),
      assistant_tag: z.literal('gpt'),
      observation_tag: z.literal('observation'),
      function_tag: z.literal('function_call'),
      system_tag: z.literal('system'),
    }),
  }),
);
export type ShareGptDatasetInfo = z.infer<typeof shareGptDatasetInfoSchema>;
