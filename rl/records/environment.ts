import { z } from 'zod';
import { rewardExpressionSchema } from './rewardExpression.ts';

const count = z.int().nonnegative();

/**
 * What `GET /v1/environment` of `coa-distill serve rl` says: all that an agent loop must know of the environment, asked
 * once.
 */
export const rlEnvironmentSchema = z.object({
  format_version: z.literal(1),
  coa_distill_version: z.string(),
  /** The run or dataset whose tasks are served. */
  dataset: z.string(),
  /** Tasks that can be asked about. */
  tasks: count,
  /** By name. */
  profiles: z.record(
    z.string(),
    z.object({
      /** Texts at which a generation stops, kept in its text: the end tags of the tools and of the answer. */
      stop: z.array(z.string()).min(1),
      /** Tags of the profile's tools. */
      tools: z.array(z.string()),
      /** Of the instruction in the user turn: a loop can tell that its prompts were made by the same one. */
      instruction_sha256: z.string(),
    }),
  ),
  limits: z.object({
    /** Maximum generations of a trajectory. */
    max_steps: z.int().positive(),
    /** Maximum tokens of one generation. */
    max_step_tokens: z.int().positive(),
    max_prompt_tokens: z.int().positive(),
    /** Maximum tokens of a trajectory behind its prompt, observations included. */
    max_response_tokens: z.int().positive(),
    /** Seconds that a trajectory may take; kept by the loop. */
    max_seconds: z.number().positive(),
  }),
  /** What a trajectory is worth, from its parts; a part that it does not name is measured and not counted. */
  reward: rewardExpressionSchema,
});
export type RlEnvironment = z.infer<typeof rlEnvironmentSchema>;
