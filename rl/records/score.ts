import { z } from 'zod';
import { incidentSchema } from '../../schemas/coa/play/readStep.ts';
import { failureCauseSchema } from '../../schemas/failureCauses.ts';
import { rlEndReasonSchema, rlTrajectorySchema } from './rlTrajectory.ts';

/** Why something has no result; it is nobody's zero. */
export const rlFaultSchema = z.object({
  /** As in ledgers, or `busy`, `timeout`, `unknown_task`, `bad_request`, `unauthorized`, `reward`. */
  cause: z.union([
    failureCauseSchema,
    z.enum(['busy', 'timeout', 'unknown_task', 'bad_request', 'unauthorized', 'reward']),
  ]),
  message: z.string(),
  /** True when the same request may succeed later. */
  retryable: z.boolean(),
});
export type RlFault = z.infer<typeof rlFaultSchema>;

/** The body of every answer that is not 200. */
export const rlErrorSchema = z.object({ error: rlFaultSchema });

/** `POST /v1/score`: what a finished trajectory is worth. */
export const rlScoreRequestSchema = rlTrajectorySchema.extend({
  end_reason: rlEndReasonSchema,
  /** Tokens behind the prompt, observations included. */
  response_tokens: z.int().nonnegative(),
  max_response_tokens: z.int().positive(),
});
export type RlScoreRequest = z.infer<typeof rlScoreRequestSchema>;

/** The answer to {@link rlScoreRequestSchema}. */
export const rlScoreAnswerSchema = z.object({
  /** What the environment's `reward` makes of `parts`; null where there is no verdict: leave the trajectory out of its group, never take 0. */
  score: z.number().nullable(),
  /** Every part of the reward, counted or not, the same names in every answer; null: not known. */
  parts: z.record(z.string(), z.number().nullable()),
  /** The answer that was judged, from the model's own text alone; null: none. */
  answer: z.string().nullable(),
  /** Who judged the answer, for instance `exact_match`, `number`, `tests`, `model`; null where there was nothing to judge. */
  judge: z.string().nullable(),
  /** What the model did otherwise than the format has it, in the whole trajectory. */
  events: z.array(incidentSchema),
  unscored: rlFaultSchema.nullable(),
});
export type RlScoreAnswer = z.infer<typeof rlScoreAnswerSchema>;
