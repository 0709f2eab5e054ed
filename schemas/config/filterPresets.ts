import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** Names of `filters.preset`. */
export const filterPresetNames = ['afm'] as const;

/**
 * What each preset sets. `afm` is progressive filtering as the paper describes it (arXiv 2508.13167), in the order of
 * its stages:
 *
 * 1. Fewer than 5 interactions are dropped. Its hops are invocations of agents, of which MHQA averages 4.35: 5 there
 *    would drop most, so 3, the same share of the average as 5 is of the 7.29 of web.
 * 2. Wrong answers, redundant tool inputs and failures to follow instructions are dropped.
 * 3. Trajectories without reflection are sampled down, at a rate that the paper does not give (ours: half), and dropped
 *    for mathematics and code.
 * 4. Corrected errors, a low first double check and a right answer, are sampled up, by a factor that it does not give
 *    (ours: twice).
 *
 * It does not ask whether tools showed the answer, so ungrounded answers are measured and kept.
 */
export const filterPresets: Readonly<Record<(typeof filterPresetNames)[number], JsonObject>> = {
  afm: {
    min_interactions: { count: 'agents', default: 5, mhqa: 3, mhqa_double_check: 3 },
    max_redundant_tool_inputs: 0,
    instruction_failures: 'drop',
    grounding: { drop: false },
    reflection: { rate: 0.5, drop_for: ['math', 'code'] },
    error_correction: { repeats: 2, max_first_score: 2 },
  },
};

/**
 * Replaces the name of a filter preset in a raw configuration by its values. Written keys have precedence, also
 * inside `min_interactions`, `reflection` and `error_correction`. Unknown presets are unchanged.
 */
export function withFilterPreset(value: unknown): unknown {
  const preset = filterPresetOf(value);
  if (preset === undefined || !isJsonObject(value) || !isJsonObject(value.filters)) return value;
  const { preset: _, ...written } = value.filters;
  return { ...value, filters: mergedValue(filterPresets[preset], written) };
}

/** Known preset named by a configuration; otherwise undefined. */
export function filterPresetOf(value: unknown): (typeof filterPresetNames)[number] | undefined {
  const filters = isJsonObject(value) ? value.filters : undefined;
  return isJsonObject(filters) ? filterPresetNames.find((name) => name === filters.preset) : undefined;
}

/** Preset value overridden by the written one; mappings are merged key by key. */
export function mergedValue(set: JsonValue | undefined, own: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(set) || !isJsonObject(own)) return own;
  const merged = Object.entries(own).map(([key, value]) => [key, mergedValue(set[key], value)] as const);
  return { ...set, ...Object.fromEntries(merged) };
}
