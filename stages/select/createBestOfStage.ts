import {
  type CorpusStage,
  decideEach,
  dropRecord,
  emitRecord,
  type StageOutcome,
} from '../../contract/stage.ts';
import { parseScore } from '../../schemas/coa/bodies.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { BestOfConfig, SelectRule } from '../../schemas/config/select.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { isJudgedCorrect, type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { charsOf, textDigest } from '../../schemas/trajectoryText.ts';
import { JudgedPreferences, type PreferenceJudge } from './preferByJudge.ts';
import { sketchLikeness, wordSketch } from './wordSketch.ts';

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
  const sketches = by === 'most_diverse' || max_likeness !== undefined;
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
  const { unlike, duplicates } = withoutDuplicates(candidates.toSorted(compare), settings.max_likeness);
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
 * The candidates that have not the text of a better one, and are not too like one; of the others, the id of the first
 * that they are too like.
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
 * The candidates of one task that stay, the best first. With `most_diverse` each further one is the candidate that is
 * least like the nearest of those chosen. The order in which the candidates come does not matter.
 */
function chooseBest(
  ranked: readonly Candidate[],
  { per_task, by }: Pick<BestOfConfig, 'per_task' | 'by'>,
): readonly Candidate[] {
  return by === 'most_diverse' && ranked.length > per_task
    ? mostDiverse(ranked, per_task)
    : ranked.slice(0, per_task);
}

/** The best first: by the rules in their order, then the shortest, then the least id. */
function compare(a: Candidate, b: Candidate): number {
  const at = a.keys.findIndex((key, place) => key !== b.keys[place]);
  const byRules = at < 0 ? 0 : a.keys[at]! - b.keys[at]!;
  return byRules || a.chars - b.chars || (a.id < b.id ? -1 : 1);
}

function rulesOf(by: BestOfConfig['by']): readonly SelectRule[] {
  return typeof by === 'string' ? ['score', 'shortest'] : by;
}

type RankBy = (trajectory: Trajectory, profileOf: (name: string) => Profile | undefined) => number;

type CountTokens = (text: string) => Promise<number>;

/** What a trajectory is compared by, rule by rule. */
function keysBy(
  { by }: BestOfConfig,
  profileOf: (name: string) => Profile | undefined,
  countTokens: CountTokens | undefined,
) {
  const tokensOf = async ({ segments }: Trajectory) =>
    (await countTokens?.(segments.map(({ text }) => text).join(''))) ?? 0;
  return async (trajectory: Trajectory): Promise<number[]> => {
    const keys: number[] = [];
    for (const rule of rulesOf(by))
      keys.push(rule === 'fewest_tokens' ? await tokensOf(trajectory) : rankBy[rule](trajectory, profileOf));
    return keys;
  };
}

/** What each rule goes by: less is better. */
const rankBy: Readonly<Record<Exclude<SelectRule, 'fewest_tokens'>, RankBy>> = {
  correct: (trajectory) => (isJudgedCorrect(trajectory) ? 0 : 1),
  score: ({ quality }) => -qualityScore(quality),
  double_check: (trajectory, profileOf) => -(lastDoubleCheck(trajectory, profileOf) ?? 0),
  fewest_tools: ({ quality }) => quality.interactions,
  // All are equal, until the judge prefers one.
  judge: () => 1,
  shortest: charsOf,
};

/** Score of the last double check; undefined without one. */
function lastDoubleCheck(
  { profile, segments }: Trajectory,
  profileOf: (name: string) => Profile | undefined,
): number | undefined {
  const known = profileOf(profile);
  const check = known && segments.findLast(({ tag }) => tagRule(known, tag)?.kind === 'verification');
  return check && parseScore(check.text.trim().replace(/^<[^>]+>|<\/[^>]+>$/g, ''));
}

function mostDiverse(ranked: readonly Candidate[], count: number): Candidate[] {
  const [best, ...left] = ranked;
  const chosen = [best!];
  const nearest = left.map((candidate) => sketchLikeness(candidate.sketch, best!.sketch));
  while (chosen.length < count) {
    // The first of equals, which ranks highest.
    const at = nearest.indexOf(Math.min(...nearest));
    const next = left[at]!;
    chosen.push(next);
    nearest[at] = Number.POSITIVE_INFINITY;
    for (const [place, candidate] of left.entries())
      nearest[place] = Math.max(nearest[place]!, sketchLikeness(candidate.sketch, next.sketch));
  }
  return chosen;
}

/** What is remembered of a trajectory that others of the same task stand beside. */
interface Candidate {
  /** Place among the stage's inputs, from 0. */
  readonly index: number;
  readonly id: string;
  /** Its `qualityScore`. */
  readonly score: number;
  /** Length of its segments' text, in UTF-16 code units. */
  readonly chars: number;
  /** Its `textDigest`. */
  readonly text: number;
  /** What the rules go by, in their order: less is better. */
  readonly keys: number[];
  /** Whether the judge preferred it; absent where it was not asked about it. */
  isPreferred?: boolean;
  /** Sketch of the model's words; empty where it is not needed. */
  readonly sketch: Uint32Array;
}

/** Takes down a trajectory; a sketch only where trajectories are compared by their words. */
function candidateOf(
  index: number,
  trajectory: Trajectory,
  { keys, sketches }: { readonly keys: number[]; readonly sketches: boolean },
): Candidate {
  return {
    index,
    id: trajectory.id,
    score: qualityScore(trajectory.quality),
    chars: charsOf(trajectory),
    text: textDigest(trajectory),
    keys,
    sketch: sketches ? wordSketch(wordsOfModel(trajectory)) : new Uint32Array(),
  };
}

function wordsOfModel({ segments }: Trajectory): string {
  return segments
    .filter(({ origin }) => origin === 'model')
    .map(({ text }) => text)
    .join('');
}
