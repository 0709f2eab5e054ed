import { hash32 } from '../../base/hash32.ts';
import { parseScore } from '../../schemas/coa/bodies.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { BestOfConfig, SelectRule } from '../../schemas/config/select.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { isJudgedCorrect, type Trajectory } from '../../schemas/trajectory.ts';
import { charsOf, textDigest } from '../../schemas/trajectoryText.ts';

/** What is remembered of a trajectory that others of the same task stand beside. */
export interface Candidate {
  /** Place among the stage's inputs, from 0. */
  readonly index: number;
  readonly id: string;
  /** Its `qualityScore`. */
  readonly score: number;
  /** Length of its segments' text, in UTF-16 code units. */
  readonly chars: number;
  /** Its `textDigest`. */
  readonly text: number;
  /** What the rules go by, in their order: less is better. The judge's is written once it has spoken. */
  readonly keys: number[];
  /** Whether the judge preferred it; absent where it was not asked about it. */
  isPreferred?: boolean;
  /** Sketch of the model's words; empty where it is not needed. */
  readonly sketch: Uint32Array;
}

/** Takes down a trajectory; a sketch only where trajectories are compared by their words. */
export function candidateOf(
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

/** The best first: by the rules in their order, then the shortest, then the least id. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return compareKeys(a.keys, b.keys) || a.chars - b.chars || (a.id < b.id ? -1 : 1);
}

/** By the first key in which they differ; below 0 where the first list is better. */
export function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((key, place) => key !== b[place]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/** The rules that `select.best_of.by` names, or that its word stands for. */
export function rulesOf(by: BestOfConfig['by']): readonly SelectRule[] {
  if (typeof by !== 'string') return by;
  return by === 'most_diverse' ? ['most_diverse', 'score', 'shortest'] : ['score', 'shortest'];
}

type RankBy = (trajectory: Trajectory, profileOf: (name: string) => Profile | undefined) => number;

export type CountTokens = (text: string) => Promise<number>;

/** What a trajectory is compared by, rule by rule. */
export function keysBy(
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
  // All are equal, until one is chosen.
  most_diverse: () => 0,
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

/** Numbers of a sketch: the likeness of two texts is told to about 1 / sqrt of it, 0.09. */
const SKETCH_SIZE = 128;
const SHINGLE_WORDS = 3;

/**
 * A sketch of a text's shingles of three words, by one permutation: the range of a hash is cut into 128 bins, and each
 * holds the least hash that fell into it; 0xffffffff where none did. Equal texts have equal sketches.
 */
export function wordSketch(text: string): Uint32Array {
  const sketch = new Uint32Array(SKETCH_SIZE).fill(0xffffffff);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (let at = 0; at + SHINGLE_WORDS <= Math.max(words.length, SHINGLE_WORDS); at++) {
    const hash = hash32(words.slice(at, at + SHINGLE_WORDS).join(' '));
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
