import { z } from 'zod';
import { rlSegmentSchema } from './rlTrajectory.ts';
import { rlScoreAnswerSchema } from './score.ts';

/** A line of `train/<job>/rollouts/<step>.jsonl`: a rollout that a step of reinforcement learning was trained on, or left out. */
export const playedRolloutSchema = z.object({
  step: z.int().nonnegative(),
  task_id: z.string(),
  segments: z.array(rlSegmentSchema),
  score: rlScoreAnswerSchema.shape.score,
  parts: rlScoreAnswerSchema.shape.parts,
  /** Its end reason, or what failed: the kind of the failure, such as `tool` or `unscored`. */
  end: z.string(),
});
export type PlayedRollout = z.infer<typeof playedRolloutSchema>;
