import { shareEstimate } from '../../base/statistics/estimates.ts';
import type { MeasuredRate, RlTaskReason } from '../../schemas/rl/taskLine.ts';
import { type RlTasksConfig, rlTaskPresets } from '../rlConfig.ts';

/** The probability that a group has right and wrong answers, at a pass rate p: 1 - p^n - (1 - p)^n. */
export function mixedProbability(rate: number, groupSize: number): number {
  return 1 - rate ** groupSize - (1 - rate) ** groupSize;
}

/** What is known of a task's pass rate from its tries; null without any that was judged. */
export function measuredRate(
  { passed, samples }: { readonly passed: number; readonly samples: number },
  groupSize: number,
): MeasuredRate | null {
  const share = shareEstimate(passed, samples);
  if (!share) return null;
  const { value, low, high } = share;
  return { passed, samples, low, high, mixed: Math.max(0, mixedProbability(value, groupSize)) };
}

/** Why a task of this rate is not learned from; null where it is. */
export function rateProblem(
  rate: MeasuredRate | null,
  { preset, pass_rate }: Pick<RlTasksConfig, 'preset' | 'pass_rate'>,
): RlTaskReason | null {
  const rules = rlTaskPresets[preset];
  const { min = 0, max = rules.max } = pass_rate;
  const asksRate = preset !== 'any' || pass_rate.min !== undefined || pass_rate.max !== undefined;
  if (rate === null) return asksRate ? 'no_rate' : null;
  const value = rate.passed / rate.samples;
  if (rate.samples < rules.min_samples) return 'few_samples';
  if (value > max || (rules.below_max && value === max)) return 'too_easy';
  return value < min || (rules.above_min && value === min) ? 'too_hard' : null;
}
