import { hash32 } from '../../base/hash32.ts';
import { parseScore } from '../../schemas/coa/bodies.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { BestOfConfig, SelectRule } from '../../schemas/config/select.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { isJudgedCorrect, type Trajectory } from '../../schemas/trajectory.ts';
import { charsOf, textDigest } from '../../schemas/trajectoryText.ts';

/** Stored data of a trajectory that competes with others of its task. */
export interface Candidate {
  readonly index: number;
  readonly id: string;
  /** Its `qualityScore`. */
  readonly score: number;
  /** Length of its segments' text, in UTF-16 code units. */
  readonly chars: number;
  /** Its `textDigest`. */
  readonly text: number;
  /** Ranking keys in rule order: less is better. The judge's key is set after its answer. */
  readonly keys: number[];
  /** True if the judge preferred it; absent if it was not asked. */
  isPreferred?: boolean;
  /** Sketch of the model's words; empty if not needed. */
  readonly sketch: Uint32Array;
}

/** Extracts a candidate; a sketch only if trajectories are compared by words. */
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

/** Orders candidates best first: by rules, then length, then id. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return compareKeys(a.keys, b.keys) || a.chars - b.chars || (a.id < b.id ? -1 : 1);
}

/** Compares by the first differing key; below 0 if the first list is better. */
export function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((key, place) => key !== b[place]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/** Rules named in `select.best_of.by`, or behind its shorthand. */
export function rulesOf(by: BestOfConfig['by']): readonly SelectRule[] {
  if (typeof by !== 'string') return by;
  return by === 'most_diverse' ? ['most_diverse', 'score', 'shortest'] : ['score', 'shortest'];
}

type RankBy = (trajectory: Trajectory, profileOf: (name: string) => Profile | undefined) => number;

export type CountTokens = (text: string) => Promise<number>;

/** Ranking keys, rule by rule. */
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

/** Key per rule: less is better. */
const rankBy: Readonly<Record<Exclude<SelectRule, 'fewest_tokens'>, RankBy>> = {
  correct: (trajectory) => (isJudgedCorrect(trajectory) ? 0 : 1),
  score: ({ quality }) => -qualityScore(quality),
  double_check: (trajectory, profileOf) => -(lastDoubleCheck(trajectory, profileOf) ?? 0),
  fewest_tools: ({ quality }) => quality.interactions,
  // Equal until the judge prefers one.
  judge: () => 1,
  // Equal until one is chosen.
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

/** Size of a sketch: similarity is accurate to about 1 / sqrt of it, 0.09. */
const SKETCH_SIZE = 128;
const SHINGLE_WORDS = 3;

/**
 * Sketch of a text's three-word shingles by one permutation: the hash range is divided into 128 bins, each with its
 * minimum hash; 0xffffffff if empty. Equal texts have equal sketches.
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

/** Jaccard similarity of the shingles, estimated from sketches: 0 to 1. */
export function sketchLikeness(a: Uint32Array, b: Uint32Array): number {
  let [equal, used] = [0, 0];
  for (const [bin, hash] of a.entries()) {
    if (hash === 0xffffffff && b[bin] === 0xffffffff) continue;
    used++;
    if (hash === b[bin]) equal++;
  }
  return used === 0 ? 1 : equal / used;
}
