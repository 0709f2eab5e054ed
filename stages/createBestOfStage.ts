import { type CorpusStage, dropRecord, emitRecord, type StageOutcome } from '../contract/stage.ts';
import { parseScore } from '../schemas/coa/bodies.ts';
import { type Profile, tagRule } from '../schemas/coa/profile.ts';
import type { BestOfConfig, SelectRule } from '../schemas/config/select.ts';
import { qualityScore } from '../schemas/qualityScore.ts';
import { isJudgedCorrect, type Trajectory, trajectorySchema } from '../schemas/trajectory.ts';

/** What a trajectory that was not chosen lost to. */
interface Lost {
  readonly candidates: number;
  readonly chosen: readonly string[];
  readonly score: number;
  readonly chars: number;
  /** The better trajectory that has nearly the same words, where that is why. */
  readonly duplicate_of?: string;
}

/**
 * Keeps at most so many trajectories of a task. Reads its inputs three times: to count the trajectories of each task,
 * to rank those of tasks that have too many, to let records through. It holds a count a task, and a few numbers for
 * each trajectory of tasks that have too many.
 */
export function createBestOfStage(
  settings: BestOfConfig,
  profileOf: (name: string) => Profile | undefined,
): CorpusStage<Trajectory, Trajectory> {
  return {
    name: 'select',
    version: 1,
    input: trajectorySchema,
    output: trajectorySchema,
    async *run(trajectories) {
      const lost = await losers(trajectories, settings, profileOf);
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
  if (!lost) return emitRecord(trajectory);
  const reason = lost.duplicate_of === undefined ? 'not_best_of_task' : 'duplicate_trajectory';
  return dropRecord(reason, { by, ...lost, chosen: [...lost.chosen] });
}

/** The trajectories that do not stay, by their places. */
async function losers(
  trajectories: AsyncIterable<Trajectory>,
  settings: BestOfConfig,
  profileOf: (name: string) => Profile | undefined,
): Promise<ReadonlyMap<number, Lost>> {
  const { by, per_task, max_likeness } = settings;
  const sketches = by === 'most_diverse' || max_likeness !== undefined;
  const most = max_likeness === undefined ? per_task : 1;
  const counts = new Map<string, number>();
  for await (const { task_id } of trajectories) counts.set(task_id, (counts.get(task_id) ?? 0) + 1);
  const candidates = new Map<string, Candidate[]>();
  let index = 0;
  for await (const trajectory of trajectories) {
    const { task_id } = trajectory;
    if (counts.get(task_id)! > most) {
      const ofTask = candidates.get(task_id) ?? [];
      candidates.set(task_id, ofTask);
      const keys = rulesOf(by).map((rule) => rankBy[rule](trajectory, profileOf));
      ofTask.push(candidateOf(index, trajectory, { keys, sketches }));
    }
    index++;
  }
  return new Map([...candidates.values()].flatMap((ofTask) => losersOf(ofTask, settings)));
}

function losersOf(candidates: readonly Candidate[], settings: BestOfConfig): [number, Lost][] {
  const { unlike, duplicates } = withoutDuplicates(candidates.toSorted(compare), settings.max_likeness);
  const best = chooseBest(unlike, settings);
  const chosen = best.map(({ id }) => id);
  return candidates
    .filter((candidate) => !best.includes(candidate))
    .map((candidate) => {
      const { index, score, chars } = candidate;
      const duplicate_of = duplicates.get(candidate);
      const lost = { candidates: candidates.length, chosen, score, chars };
      return [index, { ...lost, ...(duplicate_of !== undefined && { duplicate_of }) }];
    });
}

/** The candidates that are not too like a better one; of the others, the id of the first that they are too like. */
function withoutDuplicates(ranked: readonly Candidate[], most: number | undefined) {
  const unlike: Candidate[] = [];
  const duplicates = new Map<Candidate, string>();
  for (const candidate of ranked) {
    const like =
      most !== undefined && unlike.find(({ sketch }) => sketchLikeness(candidate.sketch, sketch) >= most);
    if (like) duplicates.set(candidate, like.id);
    else unlike.push(candidate);
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

/** What each rule goes by: less is better. */
const rankBy: Readonly<Record<SelectRule, RankBy>> = {
  correct: (trajectory) => (isJudgedCorrect(trajectory) ? 0 : 1),
  score: ({ quality }) => -qualityScore(quality),
  double_check: (trajectory, profileOf) => -(lastDoubleCheck(trajectory, profileOf) ?? 0),
  fewest_tools: ({ quality }) => quality.interactions,
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

function charsOf({ segments }: Trajectory): number {
  return segments.reduce((sum, { text }) => sum + text.length, 0);
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
  /** What the rules go by, in their order: less is better. */
  readonly keys: readonly number[];
  /** Sketch of the model's words; empty where it is not needed. */
  readonly sketch: Uint32Array;
}

/** Takes down a trajectory; a sketch only where trajectories are compared by their words. */
function candidateOf(
  index: number,
  trajectory: Trajectory,
  { keys, sketches }: { readonly keys: readonly number[]; readonly sketches: boolean },
): Candidate {
  return {
    index,
    id: trajectory.id,
    score: qualityScore(trajectory.quality),
    chars: charsOf(trajectory),
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

/** Numbers of a sketch: the likeness of two texts is told to about 1 / sqrt of it, 0.09. */
const SKETCH_SIZE = 128;
/** Words that make one shingle. */
const SHINGLE_WORDS = 3;

/**
 * A sketch of a text's shingles of three words, by one permutation: the range of a hash is cut into 128 bins, and each
 * holds the least hash that fell into it; 0xffffffff where none did. Equal texts have equal sketches.
 */
export function wordSketch(text: string): Uint32Array {
  const sketch = new Uint32Array(SKETCH_SIZE).fill(0xffffffff);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (let at = 0; at + SHINGLE_WORDS <= Math.max(words.length, SHINGLE_WORDS); at++) {
    const hash = hashOf(words.slice(at, at + SHINGLE_WORDS).join(' '));
    const bin = hash % SKETCH_SIZE;
    if (hash < sketch[bin]!) sketch[bin] = hash;
  }
  return sketch;
}

/** The share of shingles that two texts have in common (Jaccard), told by their sketches: 0 to 1. */
export function sketchLikeness(a: Uint32Array, b: Uint32Array): number {
  let [equal, used] = [0, 0];
  for (const [bin, hash] of a.entries()) {
    if (hash === 0xffffffff && b[bin] === 0xffffffff) continue;
    used++;
    if (hash === b[bin]) equal++;
  }
  return used === 0 ? 1 : equal / used;
}

/** FNV-1a over UTF-16 code units, with the mixing of MurmurHash3 behind it: 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
