import { type CorpusStage, dropRecord, emitRecord, type StageOutcome } from '../../contract/stage.ts';
import type { BestOfConfig } from '../../schemas/config/select.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { type Candidate, candidateOf } from './candidate.ts';
import { chooseBest } from './chooseBest.ts';

/** What a trajectory that was not chosen lost to. */
interface Lost {
  readonly candidates: number;
  readonly chosen: readonly string[];
  readonly score: number;
  readonly chars: number;
}

/**
 * Keeps at most so many trajectories of a task. Reads its inputs three times: to count the trajectories of each task,
 * to rank those of tasks that have too many, to let records through. It holds a count a task, and a few numbers for
 * each trajectory of tasks that have too many.
 */
export function createBestOfStage(settings: BestOfConfig): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'select',
    version: 1,
    input: trajectorySchema,
    output: trajectorySchema,
    async *run(trajectories) {
      const lost = await losers(trajectories, settings);
      let index = 0;
      for await (const trajectory of trajectories) {
        const { id, task_id } = trajectory;
        yield {
          index,
          recordId: id,
          taskId: task_id,
          outcome: outcomeOf(trajectory, lost.get(index), settings),
        };
        index++;
      }
    },
  };
}

function outcomeOf(
  trajectory: Trajectory,
  lost: Lost | undefined,
  { by }: BestOfConfig,
): StageOutcome<Trajectory> {
  return lost
    ? dropRecord('not_best_of_task', { by, ...lost, chosen: [...lost.chosen] })
    : emitRecord(trajectory);
}

/** The trajectories that do not stay, by their places. */
async function losers(
  trajectories: AsyncIterable<Trajectory>,
  settings: BestOfConfig,
): Promise<ReadonlyMap<number, Lost>> {
  const counts = new Map<string, number>();
  for await (const { task_id } of trajectories) counts.set(task_id, (counts.get(task_id) ?? 0) + 1);
  const candidates = new Map<string, Candidate[]>();
  let index = 0;
  for await (const trajectory of trajectories) {
    const { task_id } = trajectory;
    if (counts.get(task_id)! > settings.per_task) {
      const ofTask = candidates.get(task_id) ?? [];
      candidates.set(task_id, ofTask);
      ofTask.push(candidateOf(index, trajectory, settings.by === 'most_diverse'));
    }
    index++;
  }
  return new Map([...candidates.values()].flatMap((ofTask) => losersOf(ofTask, settings)));
}

function losersOf(candidates: readonly Candidate[], settings: BestOfConfig): [number, Lost][] {
  const best = chooseBest(candidates, settings);
  const chosen = best.map(({ id }) => id);
  return candidates
    .filter((candidate) => !best.includes(candidate))
    .map(({ index, score, chars }) => [index, { candidates: candidates.length, chosen, score, chars }]);
}
