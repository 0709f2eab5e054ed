import { z } from 'zod';
import { rewardExpressionSchema } from './rewardExpression.ts';

const count = z.int().nonnegative();

/** Response of `GET /v1/environment` of `coa-distill serve rl`: settings that an agent loop reads once. */
export const rlEnvironmentSchema = z.object({
  format_version: z.literal(1),
  coa_distill_version: z.string(),
  /** Run or dataset whose tasks are served. */
  dataset: z.string(),
  tasks: count,
  profiles: z.record(
    z.string(),
    z.object({
      /** Stop texts, kept in the generation: end tags of the tools and of the answer. */
      stop: z.array(z.string()).min(1),
      tools: z.array(z.string()),
      /** Hash of the instruction in the user turn, so that a loop can verify its prompts. */
      instruction_sha256: z.string(),
    }),
  ),
  limits: z.object({
    /** Maximum generations of a trajectory. */
    max_steps: z.int().positive(),
    /** Maximum tokens of one generation. */
    max_step_tokens: z.int().positive(),
    max_prompt_tokens: z.int().positive(),
    /** Maximum tokens of a trajectory after its prompt, including observations. */
    max_response_tokens: z.int().positive(),
    /** Time limit of a trajectory in seconds, enforced by the loop. */
    max_seconds: z.number().positive(),
  }),
  /** Reward of a trajectory as an expression of its parts; other parts are measured only. */
  reward: rewardExpressionSchema,
});
export type RlEnvironment = z.infer<typeof rlEnvironmentSchema>;
