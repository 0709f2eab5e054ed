import type { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../coa/profile.ts';
import type { DropReason } from '../dropReasons.ts';
import type { FilterMeasures } from '../filterMeasures.ts';
import type { Trajectory } from '../trajectory.ts';

/** A filter rule with all facts about it. */
export interface FilterRule<Keys extends z.ZodRawShape> {
  /** Drop reasons -> the responsible setting, in words. */
  readonly reasons: Readonly<Partial<Record<DropReason, string>>>;
  /** Keys of `filters` that it reads. */
  readonly keys: Keys;
  /** Measures values beyond verdicts and counts; those not needed by the settings are absent. */
  measure?(
    trajectory: Trajectory,
    context: MeasureContext<Settings<Keys>>,
  ): Promise<Partial<FilterMeasures>> | Partial<FilterMeasures>;
  decide(trajectory: Trajectory, context: DecisionContext<Settings<Keys>>): BrokenRule | undefined;
}

/** Values of a rule's keys. */
type Settings<Keys extends z.ZodRawShape> = [keyof Keys] extends [never]
  ? unknown
  : z.infer<z.ZodObject<Keys>>;

/** Declares a rule with typed settings. */
export function filterRule<const Keys extends z.ZodRawShape>(row: FilterRule<Keys>): FilterRule<Keys> {
  return row;
}

/** A broken rule with its evidence. */
export interface BrokenRule {
  readonly reason: DropReason;
  readonly evidence: JsonObject;
}

/** A tool input nearly equal to an earlier one, by the indices of both segments, from 0. */
export interface NearInputs {
  readonly tool: string;
  readonly earlier: number;
  readonly segment: number;
}

/** Inputs of a rule's decision besides the trajectory. */
export interface DecisionContext<Settings> {
  readonly settings: Settings;
  readonly profile: Profile;
  readonly seed: number;
  readonly measures: FilterMeasures;
  readonly nearInputs: readonly NearInputs[];
}

/** Inputs of measuring. */
export interface MeasureContext<Settings> {
  readonly settings: Settings;
  readonly profile: Profile;
  readonly tools: FilterTools;
  readonly nearInputs: readonly NearInputs[];
  /** Number of secrets by kind; undefined if not configured. */
  readonly secrets: Readonly<Record<string, number>> | undefined;
  /** Trajectory with masked secrets; unchanged if not configured. */
  readonly withoutSecrets: Trajectory;
}

/** Services and files for measuring; each exists if the settings need it. */
export interface FilterTools {
  /** Token count of a text by the dataset's tokenizer. */
  readonly countTokens?: (text: string) => Promise<number>;
  /** ISO 639-1 code of a text's language; null if undetected. */
  readonly detectLanguage?: (text: string) => Promise<string | null>;
  /** Drop reasons of the user's rules. */
  readonly askOwnRules?: (trajectory: Trajectory) => Promise<NonNullable<FilterMeasures['own_rules']>>;
  /** Faults of a trajectory's text, by the rules of `coa-distill check`. */
  readonly check?: (profile: Profile, text: string) => Promise<readonly { readonly rule: string }[]>;
  /** Share of another model's samples that solved the task; undefined if unknown. */
  readonly passRateOf?: (trajectory: Pick<Trajectory, 'task_id' | 'question'>) => Promise<number | undefined>;
}
