import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import type { DropReason } from '../../schemas/dropReasons.ts';
import type { FilterMeasures } from '../../schemas/filterMeasures.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { NearInputs } from './nearRedundantInputs.ts';

/** Rules of the linter that the settings do not want to be broken. */
export const lintFindings: MeasureRule = (_trajectory, _profile, { measures }) => {
  const found = Object.entries(measures.lint ?? {});
  if (found.length === 0) return undefined;
  return { reason: 'lint_finding', evidence: { findings_by_rule: Object.fromEntries(found) } };
};

/** Bounds of steps and tokens, both ends included. */
export const lengthOutOfRange: MeasureRule = (_trajectory, _profile, { settings, measures }) => {
  const { min_steps = 0, max_steps, min_tokens = 0, max_tokens } = settings.length ?? {};
  const { steps, tokens } = measures;
  const isOut = (value: number | undefined, least: number, most = Number.POSITIVE_INFINITY) =>
    value !== undefined && (value < least || value > most);
  const evidence = {
    ...(isOut(steps, min_steps, max_steps) && { steps, min_steps, max_steps: max_steps ?? null }),
    ...(isOut(tokens, min_tokens, max_tokens) && {
      tokens: tokens!,
      min_tokens,
      max_tokens: max_tokens ?? null,
    }),
  };
  return Object.keys(evidence).length === 0 ? undefined : { reason: 'length_out_of_range', evidence };
};

/** A language that was not asked for; where it can't be told, the trajectory stays. */
export const unwantedLanguage: MeasureRule = (_trajectory, _profile, { settings, measures }) => {
  const { languages } = settings;
  const { language } = measures;
  if (!languages || language === undefined || language === null || languages.includes(language))
    return undefined;
  return { reason: 'unwanted_language', evidence: { language, languages } };
};

/** Secrets in observations, where they are not to be masked. Evidence counts them and repeats none. */
export const secretInText: MeasureRule = (_trajectory, _profile, { settings, measures }) => {
  if (settings.secrets?.action !== 'drop' || Object.keys(measures.secrets ?? {}).length === 0)
    return undefined;
  return { reason: 'secret_in_text', evidence: { secrets: measures.secrets! } };
};

/** Tasks that another model solves too often (paper: the tasks for reinforcement learning). */
export const tooEasyOrHard: MeasureRule = (_trajectory, _profile, { settings, measures }) => {
  const { pass_rate } = measures;
  if (!settings.difficulty || pass_rate === undefined || pass_rate === null) return undefined;
  const { min_pass_rate = 0, max_pass_rate } = settings.difficulty;
  if (pass_rate > max_pass_rate) return { reason: 'too_easy', evidence: { pass_rate, max_pass_rate } };
  if (pass_rate < min_pass_rate) return { reason: 'too_hard', evidence: { pass_rate, min_pass_rate } };
  return undefined;
};

/** A rule that a trajectory breaks, and what shows it. */
export interface BrokenRule {
  readonly reason: DropReason;
  readonly evidence: JsonObject;
}

/** What a rule decides by besides the trajectory. */
export interface FilterContext {
  readonly settings: FiltersConfig;
  /** Seed for random choices. */
  readonly seed: number;
  readonly measures: FilterMeasures;
  readonly nearInputs: readonly NearInputs[];
}

/** Looks at one trajectory; undefined when there is nothing to find. Pure: it works nothing out that takes long. */
export type FilterRule = (
  trajectory: Trajectory,
  profile: Profile,
  context: FilterContext,
) => BrokenRule | undefined;

/** A trajectory without its text. */
export type JudgedTrajectory = Pick<Trajectory, 'id' | 'profile' | 'quality'>;

/** A rule that asks for nothing but measures and verdicts. */
export type MeasureRule = (
  trajectory: JudgedTrajectory,
  profile: Profile,
  context: FilterContext,
) => BrokenRule | undefined;
