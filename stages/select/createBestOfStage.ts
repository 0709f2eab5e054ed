import { Counts } from '../../base/counts.ts';
import { type CorpusStage, decideEach, dropRecord, emitRecord } from '../../contract/stage.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { BestOfConfig, SelectConfig } from '../../schemas/config/select.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import {
  type Candidate,
  type CountTokens,
  candidateOf,
  compareCandidates,
  compareKeys,
  keysBy,
  rulesOf,
  sketchLikeness,
} from './candidate.ts';
import { type JudgedPreferences, judgedPreferences, type PreferenceJudge } from './preferByJudge.ts';

/** Reason why a trajectory was not chosen. */
interface Lost {
  readonly candidates: number;
  readonly chosen: readonly string[];
  readonly score: number;
  readonly chars: number;
  /** Better trajectory with the same or a similar text, if that is the reason. */
  readonly duplicate_of?: string;
  /** Trajectory preferred by the judge, null for a tie; absent if the judge was not asked. */
  readonly preferred?: string | null;
}

/**
 * Keeps at most `per_task` trajectories of a task, and none that duplicates a better one. Reads its input three
 * times: to count per task, to rank tasks with several, to emit. Memory holds a count per task and a few numbers per
 * trajectory of tasks with several.
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
      const asked = at >= 0 && judge ? judgedPreferences(judge, at, signal) : undefined;
      const keysOf = keysBy(settings, profileOf, countTokens);
      const lost = await losers(trajectories, settings, keysOf, asked);
      yield* decideEach(trajectories, (trajectory, index) => {
        const loss = lost.get(index);
        if (!loss) return emitRecord(trajectory);
        const reason = loss.duplicate_of === undefined ? 'not_best_of_task' : 'duplicate_trajectory';
        return dropRecord(reason, { by: settings.by, ...loss, chosen: [...loss.chosen] });
      });
    },
  };
}

/** Trajectories to drop, by position. */
async function losers(
  trajectories: AsyncIterable<Trajectory>,
  settings: BestOfConfig,
  keysOf: (trajectory: Trajectory) => Promise<number[]>,
  asked: JudgedPreferences | undefined,
): Promise<ReadonlyMap<number, Lost>> {
  const { by, per_task, max_likeness } = settings;
  const sketches = rulesOf(by).includes('most_diverse') || max_likeness !== undefined;
  // The judge is asked about tasks of which one may be dropped for a reason other than its text.
  const most = max_likeness === undefined ? per_task : 1;
  const counts = new Counts();
  for await (const { task_id } of trajectories) counts.add(task_id);
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

/**
 * Candidates without a duplicate or near duplicate among the better ones; for the others, the id of the first better
 * one.
 */
function withoutDuplicates(ranked: readonly Candidate[], most: number | undefined) {
  const unlike: Candidate[] = [];
  const texts = new Map<number, Candidate>();
  const duplicates = new Map<Candidate, string>();
  for (const candidate of ranked) {
    const like =
      texts.get(candidate.text) ??
      (most !== undefined && unlike.find(({ sketch }) => sketchLikeness(candidate.sketch, sketch) >= most));
    if (like) duplicates.set(candidate, like.id);
    else {
      unlike.push(candidate);
      texts.set(candidate.text, candidate);
    }
  }
  return { unlike, duplicates };
}

/**
 * Kept candidates of one task, best first. With `most_diverse`, each next one is, among those that the preceding
 * rules rank equal and best, the least similar to the nearest chosen one; the following rules break ties.
 * @param ranked - In the order of `compareCandidates`.
 */
function chooseBest(
  ranked: readonly Candidate[],
  { per_task, by }: Pick<BestOfConfig, 'per_task' | 'by'>,
): readonly Candidate[] {
  const rule = rulesOf(by).indexOf('most_diverse');
  if (rule < 0 || ranked.length <= per_task) return ranked.slice(0, per_task);
  const left = ranked.map((candidate) => ({ candidate, nearest: 0 }));
  const chosen: Candidate[] = [];
  while (chosen.length < per_task) {
    const [best] = left;
    const behind = left.findIndex(
      ({ candidate }) =>
        compareKeys(candidate.keys.slice(0, rule), best!.candidate.keys.slice(0, rule)) !== 0,
    );
    const equals = behind < 0 ? left : left.slice(0, behind);
    // The first minimum, which ranks highest.
    const next = equals.reduce((least, one) => (one.nearest < least.nearest ? one : least));
    left.splice(left.indexOf(next), 1);
    chosen.push(next.candidate);
    for (const one of left)
      one.nearest = Math.max(one.nearest, sketchLikeness(one.candidate.sketch, next.candidate.sketch));
  }
  return chosen;
}

/**
 * Keeps trajectories of tasks with a pass rate in range. A task without scored rollouts has no rate and stays.
 * @param readRates - The pass rate of each task (`schemas/tryResult.ts`); read once, when the stage begins.
 */
export function createPassRateStage(
  { min = 0, max = 1 }: NonNullable<SelectConfig['pass_rate']>,
  readRates: () => Promise<ReadonlyMap<string, number>>,
): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'select',
    version: 2,
    input: trajectorySchema,
    output: trajectorySchema,
    async *run(trajectories) {
      const rates = await readRates();
      yield* decideEach(trajectories, (trajectory) => {
        const pass_rate = rates.get(trajectory.task_id);
        if (pass_rate === undefined) return emitRecord(trajectory);
        if (pass_rate > max) return dropRecord('too_easy', { pass_rate, max_pass_rate: max });
        if (pass_rate < min) return dropRecord('too_hard', { pass_rate, min_pass_rate: min });
        return emitRecord(trajectory);
      });
    },
  };
}
