import { shareEstimate } from '../base/statistics/estimates.ts';
import { type RlTasksConfig, rlTaskPresets } from '../schemas/config/rl.ts';
import type { MeasuredRate, RlTaskReason } from '../schemas/rl/taskLine.ts';

/** The probability that a group has right and wrong answers, at a pass rate p: 1 - p^n - (1 - p)^n. */
export function mixedProbability(rate: number, groupSize: number): number {
  return 1 - rate ** groupSize - (1 - rate) ** groupSize;
}

/** What is known of a task's pass rate from its tries; null without any that was judged. */
export function measuredRate(
  { passed, samples }: { readonly passed: number; readonly samples: number },
  { group_size }: Pick<RlTasksConfig, 'group_size'>,
): MeasuredRate | null {
  const share = shareEstimate(passed, samples);
  if (!share) return null;
  const { value, low, high } = share;
  return { passed, samples, low, high, mixed: Math.max(0, mixedProbability(value, group_size)) };
}

/** Why a task of this rate is not learned from; null where it is. */
export function rateProblem(rate: MeasuredRate | null, config: RlTasksConfig): RlTaskReason | null {
  const preset = rlTaskPresets[config.preset];
  const { min_pass_rate: least = 0, max_pass_rate: most = preset.max_pass_rate } = config;
  const asksRate =
    config.preset !== 'any' ||
    config.min_mixed > 0 ||
    config.min_pass_rate !== undefined ||
    config.max_pass_rate !== undefined;
  if (rate === null) return (config.unrated ?? (asksRate ? 'drop' : 'keep')) === 'drop' ? 'no_rate' : null;
  const { passed, samples, mixed } = rate;
  const value = passed / samples;
  if (asksRate && samples < (config.min_samples ?? preset.min_samples)) return 'few_samples';
  if (value > most || (preset.below_max && value === most)) return 'too_easy';
  if (value < least || (preset.above_min && value === least)) return 'too_hard';
  return mixed < config.min_mixed ? 'not_mixed' : null;
}
