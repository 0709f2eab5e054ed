import { z } from 'zod';

/** A row of `verl_rl`, as far as a check reads it. */
export const rlRowSchema = z.object({
  prompt: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  extra_info: z.object({
    index: z.string(),
    profile: z.string().nullish(),
    question: z.string().nullish(),
  }),
});
export type RlRow = z.infer<typeof rlRowSchema>;

const playedSchema = z.object({
  task_id: z.string(),
  prompt_tokens: z.int().nonnegative(),
  /** Text of each token behind the prompt, and its mask: 1 is trained. */
  tokens: z.array(z.tuple([z.string(), z.union([z.literal(0), z.literal(1)])])),
  end: z.string(),
  answer: z.string().nullable(),
  score: z.number(),
  parts: z.record(z.string(), z.number().nullable()),
  calls: z.int().nonnegative(),
  failure: z.undefined().optional(),
});

/** What `coa_check.py` says of a task: what would be trained, or why there is nothing. */
export const playedRolloutSchema = z.union([
  playedSchema,
  z.object({ task_id: z.string(), failure: z.string() }),
]);
export type PlayedRollout = z.infer<typeof playedRolloutSchema>;
/** One that has a result. */
export type FinishedRollout = z.infer<typeof playedSchema>;
