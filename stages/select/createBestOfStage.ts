import {
  type CorpusStage,
  decideEach,
  dropRecord,
  emitRecord,
  type StageOutcome,
} from '../../contract/stage.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { BestOfConfig } from '../../schemas/config/select.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import {
  type Candidate,
  type CountTokens,
  candidateOf,
  compareCandidates,
  keysBy,
  rulesOf,
} from './candidate.ts';
import { chooseBest, withoutDuplicates } from './chooseCandidates.ts';
import { JudgedPreferences, type PreferenceJudge } from './preferByJudge.ts';

/** What a trajectory that was not chosen lost to. */
interface Lost {
  readonly candidates: number;
  readonly chosen: readonly string[];
  readonly score: number;
  readonly chars: number;
  /** The better trajectory that has the same text, or nearly the same words, where that is why. */
  readonly duplicate_of?: string;
  /** The trajectory that the judge prefers, null for a tie; absent where it was not asked about this one. */
  readonly preferred?: string | null;
}

/**
 * Keeps at most so many trajectories of a task, and none whose text a better one has. Reads its inputs three times: to
 * count the trajectories of each task, to rank those of tasks that have several, to let records through. It holds a
 * count a task, and a few numbers for each trajectory of tasks that have several.
 *
 * @param judge - Asked where `by` names it.
 * @param countTokens - Counts where `by` names `fewest_tokens`.
 */
export function createBestOfStage(
  settings: BestOfConfig,
  profileOf: (name: string) => Profile | undefined,
  judge?: PreferenceJudge,
  countTokens?: CountTokens,
): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'select',
    version: 2,
    input: trajectorySchema,
    output: trajectorySchema,
    async *run(trajectories, { signal }) {
      const at = rulesOf(settings.by).indexOf('judge');
      const asked = at >= 0 && judge ? new JudgedPreferences(judge, at, signal) : undefined;
      const keysOf = keysBy(settings, profileOf, countTokens);
      const lost = await losers(trajectories, settings, keysOf, asked);
      yield* decideEach(trajectories, (trajectory, index) =>
        outcomeOf(trajectory, lost.get(index), settings),
      );
    },
  };
}

function outcomeOf(
  trajectory: Trajectory,
  lost: Lost | undefined,
  { by }: BestOfConfig,
): StageOutcome<Trajectory> {
  if (!lost) return emitRecord(trajectory);
  const reason = lost.duplicate_of === undefined ? 'not_best_of_task' : 'duplicate_trajectory';
  return dropRecord(reason, { by, ...lost, chosen: [...lost.chosen] });
}

/** The trajectories that do not stay, by their places. */
async function losers(
  trajectories: AsyncIterable<Trajectory>,
  settings: BestOfConfig,
  keysOf: (trajectory: Trajectory) => Promise<number[]>,
  asked: JudgedPreferences | undefined,
): Promise<ReadonlyMap<number, Lost>> {
  const { by, per_task, max_likeness } = settings;
  const sketches = rulesOf(by).includes('most_diverse') || max_likeness !== undefined;
  // The judge is asked about tasks of which one may have to go for another reason than its text.
  const most = max_likeness === undefined ? per_task : 1;
  const counts = new Map<string, number>();
  for await (const { task_id } of trajectories) counts.set(task_id, (counts.get(task_id) ?? 0) + 1);
  const candidates = new Map<string, Candidate[]>();
  let index = 0;
  for await (const trajectory of trajectories) {
    const { task_id } = trajectory;
    const count = counts.get(task_id)!;
    if (count > 1) {
      const ofTask = candidates.get(task_id) ?? [];
      candidates.set(task_id, ofTask);
      const candidate = candidateOf(index, trajectory, { keys: await keysOf(trajectory), sketches });
      ofTask.push(candidate);
      if (count > most) await asked?.add(trajectory, candidate, count);
    }
    index++;
  }
  await asked?.done();
  return new Map([...candidates.values()].flatMap((ofTask) => losersOf(ofTask, settings)));
}

function losersOf(candidates: readonly Candidate[], settings: BestOfConfig): [number, Lost][] {
  const { unlike, duplicates } = withoutDuplicates(
    candidates.toSorted(compareCandidates),
    settings.max_likeness,
  );
  const best = chooseBest(unlike, settings);
  const chosen = best.map(({ id }) => id);
  const preferred = candidates.find(({ isPreferred }) => isPreferred)?.id ?? null;
  return candidates
    .filter((candidate) => !best.includes(candidate))
    .map((candidate) => {
      const { index, score, chars } = candidate;
      const duplicate_of = duplicates.get(candidate);
      const asked = candidate.isPreferred !== undefined && { preferred };
      const lost = { candidates: candidates.length, chosen, score, chars, ...asked };
      return [index, { ...lost, ...(duplicate_of !== undefined && { duplicate_of }) }];
    });
}
