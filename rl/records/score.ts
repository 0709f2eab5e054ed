import { z } from 'zod';
import { incidentSchema } from '../../schemas/coa/play/readStep.ts';
import { failureCauseSchema } from '../../schemas/failureCauses.ts';
import { rlEndReasonSchema, rlTrajectorySchema } from './rlTrajectory.ts';

export const rlFaultSchema = z.object({
  /** As in ledgers, or `busy`, `timeout`, `unknown_task`, `bad_request`, `unauthorized`, `reward`. */
  cause: z.union([
    failureCauseSchema,
    z.enum(['busy', 'timeout', 'unknown_task', 'bad_request', 'unauthorized', 'reward']),
  ]),
  message: z.string(),
  /** True if the same request may succeed later. */
  retryable: z.boolean(),
});
export type RlFault = z.infer<typeof rlFaultSchema>;

/** Body of every response with a status other than 200. */
export const rlErrorSchema = z.object({ error: rlFaultSchema });

/** `POST /v1/score`: requests the reward of a finished trajectory. */
export const rlScoreRequestSchema = rlTrajectorySchema.extend({
  end_reason: rlEndReasonSchema,
  /** Tokens after the prompt, including observations. */
  response_tokens: z.int().nonnegative(),
  max_response_tokens: z.int().positive(),
});
export type RlScoreRequest = z.infer<typeof rlScoreRequestSchema>;

export const rlScoreAnswerSchema = z.object({
  /**
   * Value of the environment's `reward` for `parts`; null without a verdict: exclude the trajectory from its group,
   * never use 0.
   */
  score: z.number().nullable(),
  /** All parts of the reward, counted or not, with the same names in every response; null: unknown. */
  parts: z.record(z.string(), z.number().nullable()),
  /** Judged answer from the model's own text; null without one. */
  answer: z.string().nullable(),
  /** Judge of the answer, for instance `exact_match`, `number`, `tests`, `model`; null without an answer to judge. */
  judge: z.string().nullable(),
  /** Deviations of the model from the format in the whole trajectory. */
  events: z.array(incidentSchema),
  unscored: rlFaultSchema.nullable(),
});
export type RlScoreAnswer = z.infer<typeof rlScoreAnswerSchema>;
