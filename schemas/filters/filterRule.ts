import type { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../coa/profile.ts';
import type { DropReason } from '../dropReasons.ts';
import type { FilterMeasures } from '../filterMeasures.ts';
import type { Trajectory } from '../trajectory.ts';

/** What a rule of the filter says of itself: each fact about a rule once. */
interface RuleRow<Keys extends z.ZodRawShape> {
  /** Reasons that it drops for -> the setting that says when, in words for people. */
  readonly reasons: Readonly<Partial<Record<DropReason, string>>>;
  /** The keys of `filters` that it asks. */
  readonly keys: Keys;
  /** Works out what it decides by and only the trajectory's text tells; what the settings do not ask for is absent. */
  measure?(
    trajectory: Trajectory,
    context: MeasureContext<Settings<Keys>>,
  ): Promise<Partial<FilterMeasures>> | Partial<FilterMeasures>;
  /** Settings that say what is measured, by key: a run that measured by others can't be decided on again. */
  measuredBy?(settings: Settings<Keys>, measures: FilterMeasures): Readonly<Record<string, unknown>>;
  /** Settings that can be moved without measuring again, each with the range that records span. */
  thresholds?(settings: Settings<Keys>, records: MeasuredRecords): Threshold[];
}

/** A rule that asks for nothing but measures and verdicts. */
export interface MeasureRule<Keys extends z.ZodRawShape> extends RuleRow<Keys> {
  readonly readsText?: false;
  decide(trajectory: JudgedTrajectory, context: DecisionContext<Settings<Keys>>): BrokenRule | undefined;
}

/** A rule that looks at the text itself: what it found is known again only from the ledger. */
export interface TextRule<Keys extends z.ZodRawShape> extends RuleRow<Keys> {
  readonly readsText: true;
  decide(trajectory: Trajectory, context: DecisionContext<Settings<Keys>>): BrokenRule | undefined;
}

/** The values of a rule's keys; of one without keys nothing is asked. */
type Settings<Keys extends z.ZodRawShape> = [keyof Keys] extends [never]
  ? unknown
  : z.infer<z.ZodObject<Keys>>;

/** Declares a rule, so that its functions see its own settings. */
export function measureRule<const Keys extends z.ZodRawShape>(row: MeasureRule<Keys>): MeasureRule<Keys> {
  return row;
}

/** As {@link measureRule}. */
export function textRule<const Keys extends z.ZodRawShape>(row: TextRule<Keys>): TextRule<Keys> {
  return row;
}

/** A rule that a trajectory breaks, and what shows it. */
export interface BrokenRule {
  readonly reason: DropReason;
  readonly evidence: JsonObject;
}

/** A trajectory without its text. */
export type JudgedTrajectory = Pick<Trajectory, 'id' | 'profile' | 'quality'>;

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
}

/** Measuring that takes services or files; each is there where the settings ask for what it measures. */
export interface FilterTools {
  /** Tokens of a text, by the tokenizer of the dataset. */
  readonly countTokens?: (text: string) => Promise<number>;
  /** ISO 639-1 code of a text's language; null where it can't be told. */
  readonly detectLanguage?: (text: string) => Promise<string | null>;
  /** What rules of the user's own drop a trajectory for. */
  readonly askOwnRules?: (trajectory: Trajectory) => Promise<NonNullable<FilterMeasures['own_rules']>>;
  /** Lint findings in a trajectory's text. */
  readonly lint?: (profile: Profile, text: string) => Promise<readonly { readonly rule: string }[]>;
  /** Share of another model's samples that solved the task; undefined where it is not known. */
  readonly passRateOf?: (trajectory: Pick<Trajectory, 'task_id' | 'question'>) => Promise<number | undefined>;
}

/** Records that were measured, and their profiles. */
interface MeasuredRecords {
  readonly records: readonly { readonly trajectory: JudgedTrajectory; readonly measures: FilterMeasures }[];
  readonly profileOf: (name: string) => Profile | undefined;
}

/** A setting of the filter that can be moved without measuring again. */
export interface Threshold {
  /** `filters.max_redundant_tool_inputs` */
  readonly key: string;
  /** As the run has it; null: no limit. */
  readonly value: number | string | null;
  /** Least and greatest value that makes a difference; a share where `step` is below 1. Absent for a choice. */
  readonly range?: { readonly least: number; readonly most: number; readonly step: number };
  readonly choices?: readonly string[];
}

/** A limit of what is counted, with the greatest count that any of the records has. */
export function countThreshold(
  key: string,
  value: number | null | undefined,
  counts: readonly number[],
): Threshold {
  const most = counts.reduce((greatest, count) => Math.max(greatest, count), 0);
  const range = { least: 0, most: Math.max(most + 1, value ?? 0), step: 1 };
  return { key: `filters.${key}`, value: value ?? null, range };
}

export function shareThreshold(key: string, value: number | undefined): Threshold {
  return { key: `filters.${key}`, value: value ?? null, range: { least: 0, most: 1, step: 0.05 } };
}
