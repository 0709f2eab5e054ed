import { questionDedupSchema } from '../../schemas/config/dedup.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { comparedQuestion } from './askedQuestion.ts';
import { DuplicateIndex } from './index/duplicateIndex.ts';

/** What of a trajectory tells which tasks ask the same. */
export type AskedTask = Pick<Trajectory, 'task_id' | 'question'>;

/**
 * Finds tasks that ask the same or nearly the same, whatever their profiles, by the defaults of `dedup.questions`. Gives
 * the id that stands for a cluster, its first, by task; tasks that stand for themselves are left out. The result does
 * not depend on the order of the trajectories.
 *
 * @param spillFolder - Where what memory has no room for goes.
 */
export async function clusterTasks(
  trajectories: AsyncIterable<AskedTask>,
  spillFolder: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { shingle, min_jaccard: threshold } = questionDedupSchema.parse({});
  const index = new DuplicateIndex({ shingle, threshold, spillFolder });
  try {
    for await (const { task_id: id, question } of trajectories) {
      signal.throwIfAborted();
      // Other gold answers don't count: a question is learned whatever its answer.
      index.add({ id, ...comparedQuestion({ question, answers: [] }) });
    }
    const { kept, count } = await index.cluster(signal);
    const clusters = new Map<string, string>();
    for (let place = 0; place < count; place++) {
      const [task, first] = [index.idOf(place), index.idOf(kept[place]!)];
      if (task !== first) clusters.set(task, first);
    }
    return clusters;
  } finally {
    index.close();
  }
}
