import type { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../coa/profile.ts';
import type { DropReason } from '../dropReasons.ts';
import type { FilterMeasures } from '../filterMeasures.ts';
import type { Trajectory } from '../trajectory.ts';

/** A rule of the filter with every fact about it. */
export interface FilterRule<Keys extends z.ZodRawShape> {
  /** Reasons that it drops for -> the setting that says when, in words for people. */
  readonly reasons: Readonly<Partial<Record<DropReason, string>>>;
  /** The keys of `filters` that it reads. */
  readonly keys: Keys;
  /** Measures what cannot be told from verdicts and counts; measures that the settings do not ask for are absent. */
  measure?(
    trajectory: Trajectory,
    context: MeasureContext<Settings<Keys>>,
  ): Promise<Partial<FilterMeasures>> | Partial<FilterMeasures>;
  decide(trajectory: Trajectory, context: DecisionContext<Settings<Keys>>): BrokenRule | undefined;
}

/** The values of a rule's keys; of one without keys nothing is asked. */
type Settings<Keys extends z.ZodRawShape> = [keyof Keys] extends [never]
  ? unknown
  : z.infer<z.ZodObject<Keys>>;

/** Declares a rule, so that its functions see its own settings. */
export function filterRule<const Keys extends z.ZodRawShape>(row: FilterRule<Keys>): FilterRule<Keys> {
  return row;
}

/** A rule that a trajectory breaks, and what shows it. */
export interface BrokenRule {
  readonly reason: DropReason;
  readonly evidence: JsonObject;
}

/** A tool input that is nearly equal to an earlier one, by the places of both segments, from 0. */
export interface NearInputs {
  readonly tool: string;
  readonly earlier: number;
  readonly segment: number;
}

/** What a rule decides by besides the trajectory. */
export interface DecisionContext<Settings> {
  readonly settings: Settings;
  readonly profile: Profile;
  /** Seed for random choices. */
  readonly seed: number;
  readonly measures: FilterMeasures;
  readonly nearInputs: readonly NearInputs[];
}

/** What measures are taken with. */
export interface MeasureContext<Settings> {
  readonly settings: Settings;
  readonly profile: Profile;
  readonly tools: FilterTools;
  readonly nearInputs: readonly NearInputs[];
  /** Secrets that the settings ask for, by kind; undefined where they ask for none. */
  readonly secrets: Readonly<Record<string, number>> | undefined;
  /** The trajectory with its secrets masked; as it is where none are looked for. */
  readonly withoutSecrets: Trajectory;
}

/** Measuring that takes services or files; each is there where the settings ask for what it measures. */
export interface FilterTools {
  /** Tokens of a text, by the tokenizer of the dataset. */
  readonly countTokens?: (text: string) => Promise<number>;
  /** ISO 639-1 code of a text's language; null where it can't be told. */
  readonly detectLanguage?: (text: string) => Promise<string | null>;
  /** What rules of the user's own drop a trajectory for. */
  readonly askOwnRules?: (trajectory: Trajectory) => Promise<NonNullable<FilterMeasures['own_rules']>>;
  /** Faults of a trajectory's text, by the rules of `coa-distill check`. */
  readonly check?: (profile: Profile, text: string) => Promise<readonly { readonly rule: string }[]>;
  /** Share of another model's samples that solved the task; undefined where it is not known. */
  readonly passRateOf?: (trajectory: Pick<Trajectory, 'task_id' | 'question'>) => Promise<number | undefined>;
}
