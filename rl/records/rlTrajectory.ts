import { z } from 'zod';
import { segmentSchema } from '../../schemas/trajectory.ts';

/**
 * Segment of a trajectory in the training batch: a sampled generation, or appended environment text. Joined, they form
 * the whole response.
 */
export const rlSegmentSchema = segmentSchema.pick({ origin: true, text: true });
export type RlSegment = z.infer<typeof rlSegmentSchema>;

/** Trajectory so far, in order. Requests are complete, since the server is stateless. */
export const rlTrajectorySchema = z.object({
  task_id: z.string().min(1),
  /** Segments need not alternate: after a `continue`, the model's next generation is another segment. */
  segments: z.array(rlSegmentSchema).min(1).max(10_000),
});

/**
 * End of a trajectory.
 *
 * | reason | meaning |
 * |---|---|
 * | `answer` | the model gave its answer |
 * | `no_answer` | the model ended its turn before an answer |
 * | `grammar` | it ended a tool's or the answer's tag that it had not begun |
 * | `length` | a generation or the response reached its maximum of tokens |
 * | `steps` | the maximum of generations was reached |
 * | `time` | the time limit was reached; only reported by loops |
 */
export const rlEndReasonSchema = z.enum(['answer', 'no_answer', 'grammar', 'length', 'steps', 'time']);
export type RlEndReason = z.infer<typeof rlEndReasonSchema>;
