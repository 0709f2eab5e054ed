import { z } from 'zod';
import { incidentSchema } from '../../schemas/coa/play/readStep.ts';
import { rlEndReasonSchema, rlTrajectorySchema } from './rlTrajectory.ts';

/** `POST /v1/next`: what comes after the generation that stands last in `segments`. */
export const rlNextRequestSchema = rlTrajectorySchema.extend({
  /**
   * Why the generation ended. `stop`: at a stop text, which stands in its text; `eos`: the model ended its turn;
   * `length`: the most tokens of a step were reached.
   */
  finish_reason: z.enum(['stop', 'length', 'eos']),
});
export type RlNextRequest = z.infer<typeof rlNextRequestSchema>;

/** The answer to {@link rlNextRequestSchema}. `events` is what the model did otherwise than the format has it. */
export const rlNextAnswerSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('observation'),
    /** What is put behind the sampled tokens with mask 0, to the byte: line feeds around the block included. */
    text: z.string(),
    tool: z.string(),
    /** Of the tool call. */
    duration_ms: z.number().nonnegative(),
    /** True where the result was kept from an earlier call. */
    cached: z.boolean(),
    events: z.array(incidentSchema),
  }),
  /** Nothing is put behind it: sample on. The stop text stands in a thought, where it calls nothing. */
  z.object({ kind: z.literal('continue'), events: z.array(incidentSchema) }),
  z.object({
    kind: z.literal('end'),
    reason: rlEndReasonSchema,
    /** As it is judged; null where there is none. */
    answer: z.string().nullable(),
    events: z.array(incidentSchema),
  }),
]);
export type RlNextAnswer = z.infer<typeof rlNextAnswerSchema>;
