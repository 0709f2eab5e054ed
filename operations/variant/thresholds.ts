import type { Profile } from '../../schemas/coa/profile.ts';
import { type FiltersConfig, interactionLimit } from '../../schemas/config/filters.ts';
import type { MeasuredRecord } from './measuredRecords.ts';

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

/** The thresholds of a filter, each with the range that its records span. */
export function thresholdsOf(
  filters: FiltersConfig,
  records: readonly MeasuredRecord[],
  profileOf: (name: string) => Profile | undefined,
): Threshold[] {
  const { length, difficulty, reflection, instruction_failures } = filters;
  const most = (of: (record: MeasuredRecord) => number) => greatest(records, of);
  const steps = most(({ measures }) => measures.steps);
  const tokens = most(({ measures }) => measures.tokens ?? 0);
  const redundant = most(
    ({ trajectory: { quality }, measures }) =>
      quality.redundant_tool_inputs + measures.near_redundant_tool_inputs,
  );
  return [
    ...interactionThresholds(filters, records, profileOf),
    count('max_redundant_tool_inputs', filters.max_redundant_tool_inputs, redundant),
    count('length.min_steps', length?.min_steps, steps),
    count('length.max_steps', length?.max_steps, steps),
    ...(tokens > 0
      ? [
          count('length.min_tokens', length?.min_tokens, tokens),
          count('length.max_tokens', length?.max_tokens, tokens),
        ]
      : []),
    ...(difficulty
      ? [
          share('difficulty.min_pass_rate', difficulty.min_pass_rate),
          share('difficulty.max_pass_rate', difficulty.max_pass_rate),
        ]
      : []),
    share('reflection.rate', reflection?.rate ?? 1),
    { key: 'filters.instruction_failures', value: instruction_failures, choices: ['drop', 'keep'] },
  ];
}

/** One limit where the settings have one number, otherwise one of each profile. */
function interactionThresholds(
  { min_interactions }: FiltersConfig,
  records: readonly MeasuredRecord[],
  profileOf: (name: string) => Profile | undefined,
): Threshold[] {
  const byProfile = Map.groupBy(records, ({ trajectory }) => trajectory.profile);
  const limits = [...byProfile].map(([name, own]) => {
    const limit = interactionLimit(min_interactions, profileOf(name)!);
    const of = ({ trajectory, measures }: MeasuredRecord) =>
      limit.count === 'agents' ? measures.steps : trajectory.quality.interactions;
    return { name, least: limit.least, most: greatest(own, of) };
  });
  if (typeof min_interactions !== 'number')
    return limits.map(({ name, least, most }) => count(`min_interactions.${name}`, least, most));
  return [count('min_interactions', min_interactions, Math.max(0, ...limits.map(({ most }) => most)))];
}

function greatest(records: readonly MeasuredRecord[], of: (record: MeasuredRecord) => number): number {
  return records.reduce((most, record) => Math.max(most, of(record)), 0);
}

function count(key: string, value: number | null | undefined, most: number): Threshold {
  const range = { least: 0, most: Math.max(most + 1, value ?? 0), step: 1 };
  return { key: `filters.${key}`, value: value ?? null, range };
}

function share(key: string, value: number | undefined): Threshold {
  return { key: `filters.${key}`, value: value ?? null, range: { least: 0, most: 1, step: 0.05 } };
}
