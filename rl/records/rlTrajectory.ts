import { z } from 'zod';
import { segmentSchema } from '../../schemas/trajectory.ts';

/**
 * A piece of a trajectory as it stands in the training batch: what one generation sampled, or what the environment put
 * behind it. Joined they are the whole response.
 */
export const rlSegmentSchema = segmentSchema.pick({ origin: true, text: true });
export type RlSegment = z.infer<typeof rlSegmentSchema>;

/** A trajectory so far, in order. The request says all: the server keeps nothing between two of them. */
export const rlTrajectorySchema = z.object({
  task_id: z.string().min(1),
  /** Model and environment need not take turns: what follows a `continue` is one more piece of the model. */
  segments: z.array(rlSegmentSchema).min(1).max(10_000),
});

/**
 * How a trajectory ended.
 *
 * | reason | meaning |
 * |---|---|
 * | `answer` | the model gave its answer |
 * | `no_answer` | the model ended its turn before an answer |
 * | `grammar` | it ended a tool's or the answer's tag that it had not begun |
 * | `length` | a generation or the response reached its maximum of tokens |
 * | `steps` | the maximum of generations was reached |
 * | `time` | the trajectory took longer than it may; only loops say so |
 */
export const rlEndReasonSchema = z.enum(['answer', 'no_answer', 'grammar', 'length', 'steps', 'time']);
export type RlEndReason = z.infer<typeof rlEndReasonSchema>;
