import { z } from 'zod';
import { rlSegmentSchema } from './rlTrajectory.ts';
import { rlScoreAnswerSchema } from './score.ts';

/** Line of `train/<job>/rollouts/<step>.jsonl`: rollout that a reinforcement learning step used or excluded. */
export const playedRolloutSchema = z.object({
  step: z.int().nonnegative(),
  task_id: z.string(),
  segments: z.array(rlSegmentSchema),
  score: rlScoreAnswerSchema.shape.score,
  parts: rlScoreAnswerSchema.shape.parts,
  /** End reason, or kind of failure, such as `tool` or `unscored`. */
  end: z.string(),
});
export type PlayedRollout = z.infer<typeof playedRolloutSchema>;
