import { z } from 'zod';
import { incidentSchema } from '../../schemas/coa/play/readStep.ts';
import { rlEndReasonSchema, rlTrajectorySchema } from './rlTrajectory.ts';

/** `POST /v1/next`: requests the continuation after the last generation in `segments`. */
export const rlNextRequestSchema = rlTrajectorySchema.extend({
  /**
   * Reason for the end of the generation. `stop`: a stop text, which is included; `eos`: the model ended its turn;
   * `length`: the maximum tokens of a step.
   */
  finish_reason: z.enum(['stop', 'length', 'eos']),
});
export type RlNextRequest = z.infer<typeof rlNextRequestSchema>;

/** Response to {@link rlNextRequestSchema}. `events` lists deviations of the model from the format. */
export const rlNextAnswerSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('observation'),
    /** Text to append with mask 0, byte for byte, including line feeds around the block. */
    text: z.string(),
    tool: z.string(),
    /** Duration of the tool call. */
    duration_ms: z.number().nonnegative(),
    /** True if the result came from the cache. */
    cached: z.boolean(),
    events: z.array(incidentSchema),
  }),
  /** Continue sampling without appending: the stop text is inside a thought and calls no tool. */
  z.object({ kind: z.literal('continue'), events: z.array(incidentSchema) }),
  z.object({
    kind: z.literal('end'),
    reason: rlEndReasonSchema,
    /** Answer as judged; null without one. */
    answer: z.string().nullable(),
    events: z.array(incidentSchema),
  }),
]);
export type RlNextAnswer = z.infer<typeof rlNextAnswerSchema>;
