import { type CorpusStage, dropRecord, emitRecord, type StageOutcome } from '../contract/stage.ts';
import type { BestOfConfig } from '../schemas/config/config.ts';
import { qualityScore } from '../schemas/qualityScore.ts';
import { type Trajectory, trajectorySchema } from '../schemas/trajectory.ts';

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

/**
 * The candidates of one task that stay, the best first: the highest score, then the shortest, then the least id. With
 * `most_diverse` each further one is the candidate that is least like the nearest of those chosen. The order in which
 * the candidates come does not matter.
 */
function chooseBest(candidates: readonly Candidate[], { per_task, by }: BestOfConfig): readonly Candidate[] {
  const ranked = candidates.toSorted(compare);
  if (by === 'shortest' || ranked.length <= per_task) return ranked.slice(0, per_task);
  return mostDiverse(ranked, per_task);
}

function compare(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.chars - b.chars || (a.id < b.id ? -1 : 1);
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
  /** Sketch of the model's words; empty where it is not needed. */
  readonly sketch: Uint32Array;
}

/** Takes down a trajectory; a sketch only where diversity is asked for. */
function candidateOf(index: number, trajectory: Trajectory, sketches: boolean): Candidate {
  const { id, quality, segments } = trajectory;
  return {
    index,
    id,
    score: qualityScore(quality),
    chars: segments.reduce((sum, { text }) => sum + text.length, 0),
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
