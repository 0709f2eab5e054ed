import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { mergedValue, withFilterPreset } from './filterPresets.ts';
import { defaultTeacherModel, playsAlone, teacherBackendNames } from './teacherBackends.ts';

/**
 * AFM's driver for web agents (`AFM/evaluation/web_agent/inference_web_agent.py`), as keys of `teacher`. Rounds are
 * rollouts, failed requests are interrupted steps, and penalties of 0 are the servers' defaults. Differences are in
 * docs/student.md.
 */
const afmWeb = {
  rollouts: 5,
  model: { ...defaultTeacherModel, sampling: { temperature: 1, top_p: 0.9, max_tokens: 4096 } },
  budget: { max_steps: 36 },
  player: {
    max_context_tokens: 32_768,
    context: 'cut',
    repeats_before_warning: 5,
    broken_steps: 10,
    tries: 3,
    suggested_as_answer: true,
  },
} as const satisfies JsonObject;

/** Keys of `teacher` set by each `teacher.player.preset`. The paper samples with top-k 20, the driver without. */
export const playerPresets = {
  afm_web: afmWeb,
  afm_web_paper: {
    ...afmWeb,
    model: { ...afmWeb.model, sampling: { ...afmWeb.model.sampling, top_k: 20 } },
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

/** Names of `teacher.player.preset`. */
export const playerPresetNames = Object.keys(playerPresets) as [keyof typeof playerPresets];

/** Replaces the names of presets in a raw configuration by their values. */
export function withPresets(value: unknown): unknown {
  return withPlayerPreset(withFilterPreset(value));
}

/**
 * Replaces the player's preset in a raw configuration by its values; written keys have precedence one by one. Unknown
 * presets and teams are unchanged.
 */
export function withPlayerPreset(value: unknown): unknown {
  const teacher = isJsonObject(value) ? value.teacher : undefined;
  if (!isJsonObject(value) || !isJsonObject(teacher) || !isJsonObject(teacher.player)) return value;
  const { preset, ...player } = teacher.player;
  const name = playerPresetNames.find((one) => one === preset);
  if (name === undefined || !isAlone(teacher)) return value;
  return { ...value, teacher: mergedValue(playerPresets[name], { ...teacher, player }) };
}

/** True if a raw `teacher` section is played by one model alone. */
export function isAlone(teacher: JsonObject): boolean {
  return teacherBackendNames.some((backend) => backend === teacher.backend && playsAlone({ backend }));
}
