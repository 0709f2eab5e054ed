import { sha256Hex } from '../../../base/ids.ts';
import { type PlantedFlaw, type PlantedRates, type RatedFlaw, ratedFlawSchema } from './plantedFlaws.ts';

const everywhere: readonly RatedFlaw[] = [
  'wrong_answer',
  'redundant_query',
  'too_few_interactions',
  'malformed_json',
  'malformed_json_once',
  'refusal',
  'tag_in_text',
  'near_redundant_query',
  'foreign_language',
  'rambling',
  'repeated_thought',
  'talk_to_grader',
];

/**
 * The flaws that each profile's grammar leaves room for. Programs and mathematics need a reflection after every
 * program, so it can't be missing there; only the double check rules have a double check; only programs can hang, or print what
 * they like.
 */
const flawsOfProfile: Readonly<Record<string, readonly RatedFlaw[]>> = {
  web: [...everywhere, 'missing_reflection', 'corrected_double_check'],
  mhqa: [...everywhere, 'missing_reflection'],
  math: [...everywhere, 'hanging_code', 'secret_in_observation'],
  code: [...everywhere, 'hanging_code', 'secret_in_observation'],
  mhqa_double_check: [...everywhere, 'missing_reflection', 'corrected_double_check'],
  afm: [...everywhere, 'missing_reflection', 'corrected_double_check'],
};

/**
 * The flaw that is planted in a task's rollout, at most one, by the rates; null for a clean solution. Depends on the
 * seed, the task's id and the rollout's number alone. A flaw that the profile has no room for leaves the task clean.
 */
export function chooseFlaw(
  taskId: string,
  profile: string,
  rates: PlantedRates,
  seed: number,
  rollout = 0,
): PlantedFlaw | null {
  const drawn = rollout === 0 ? `${seed}:${taskId}` : `${seed}:${taskId}:${rollout}`;
  let left = Number.parseInt(sha256Hex(drawn).slice(0, 8), 16) / 2 ** 32;
  for (const flaw of ratedFlawSchema.options) {
    const rate = rates[flaw] ?? 0;
    if (left < rate) return flawsOfProfile[profile]?.includes(flaw) ? flaw : null;
    left -= rate;
  }
  return null;
}
