import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { JsonValue } from '../../base/json.ts';
import { ProblemList, UserError } from '../../base/userError.ts';
import { withoutAbsent } from '../../base/withoutAbsent.ts';
import { parseYaml } from '../../pipeline/config/configDocument.ts';
import { explainIssues } from '../../pipeline/config/explainIssues.ts';
import { configKeys } from '../../schemas/config/config.ts';
import { knownKeys, nodeAt } from '../../schemas/config/keyTree.ts';
import { type TrainingConfig, trainingConfigSchema } from '../../schemas/config/training.ts';
import {
  type LauncherName,
  type TrainerName,
  type TrainingMethodName,
  trainerNames,
} from '../../schemas/training/jobNames.ts';
import { type TrainingPresetName, trainingPresets } from '../../schemas/training/presets.ts';
import { rlPresets } from '../../schemas/training/rlPresets.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';

/** Options of `coa-distill train`. */
export interface TrainCommandOptions {
  /** Folder under `train/` of the run; default: the method's name. */
  readonly job?: string;
  readonly method?: TrainingMethodName;
  /** File whose `training` section replaces that of the run. */
  readonly config?: string;
  readonly trainer?: TrainerName;
  readonly launcher?: LauncherName;
  readonly model?: string;
  readonly preset?: TrainingPresetName;
  readonly set: readonly string[];
  readonly dryRun?: true;
  readonly renderOnly?: true;
  readonly detach?: true;
  readonly json?: true;
}

/** Sections of `training` whose keys are given with a dot. */
const sections: ReadonlySet<string> = new Set(['rl', 'torchrun', 'slurm', 'ray', 'kubernetes']);

type Section = Record<string, unknown>;

/**
 * Merges the `training` section with the command line: `--preset` replaces the configured hyper-parameters; other flags
 * and `--set` override both. Folders become absolute, since the job runs elsewhere.
 *
 * @throws UserError
 */
export function trainingFromCommandLine(
  config: TrainingConfig,
  options: TrainCommandOptions,
): TrainingConfig {
  const { launcher, model, preset } = options;
  const trainer = trainerFor(config, options);
  const isRl = trainerTable[trainer].method === 'rl';
  const section: Section = {
    ...config,
    ...(isRl && fineTunedBefore(config)),
    ...(preset !== undefined &&
      (isRl ? { preset, rl: {}, model: rlPresets[preset].model } : withPreset(preset))),
    ...withoutAbsent({ trainer, launcher, model }),
  };
  const chosen = options.set.reduce(withSetting, section);
  const parsed = trainingConfigSchema.safeParse(chosen);
  if (!parsed.success) {
    const found = explainIssues(parsed.error.issues, chosen, nodeAt(configKeys, ['training']));
    throw new ProblemList(
      found.map(({ keys, message }) => `${['training', ...keys].map(String).join('.')}: ${message}`),
    );
  }
  return withAbsolutePaths(parsed.data);
}

/** Trainer from the option, otherwise the configuration, otherwise the first of the method. */
function trainerFor(config: TrainingConfig, { method, trainer }: TrainCommandOptions): TrainerName {
  const named = trainer ?? config.trainer;
  if (method === undefined || trainerTable[named].method === method) return named;
  const ofMethod = trainerNames.filter((name) => trainerTable[name].method === method);
  if (trainer === undefined) return ofMethod[0]!;
  throw new UserError(`--method ${method}: expected ${ofMethod.join(' or ')} as --trainer, got ${trainer}`);
}

/** Default start model for reinforcement learning under the configured preset. */
function fineTunedBefore({ preset, model }: TrainingConfig): Section {
  const isNamed = preset === null || model !== trainingPresets[preset].hyper_parameters.model;
  return isNamed ? {} : { model: rlPresets[preset].model };
}

function withPreset(preset: TrainingPresetName): Section {
  return { preset, ...trainingPresets[preset].hyper_parameters };
}

/** Sets a key of the `training` section, or of the trainer's own configuration. */
function withSetting(section: Section, text: string): Section {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UserError(`--set: expected KEY=VALUE, got ${JSON.stringify(text)}`);
  const key = text.slice(0, equals);
  const value = settingValue(key, text.slice(equals + 1));
  const [head = '', name, ...rest] = key.split('.');
  if (name !== undefined && rest.length === 0 && sections.has(head)) {
    return { ...section, [head]: { ...(section[head] as Section), [name]: value } };
  }
  if (ownKeys().has(key)) return { ...section, [key]: value };
  return { ...section, set: { ...(section.set as Section), [key]: value } };
}

/** Parsed as YAML, the format of both trainers' configurations. */
function settingValue(key: string, text: string): JsonValue {
  try {
    return parseYaml(text);
  } catch {
    throw new UserError(
      `--set ${key}: expected a value as YAML writes it, got ${JSON.stringify(text)}; put quotes around a text`,
    );
  }
}

function ownKeys(): ReadonlySet<string> {
  const keys = knownKeys(nodeAt(configKeys, ['training'])).filter(
    (key) => key !== 'set' && !sections.has(key),
  );
  return new Set(keys);
}

function withAbsolutePaths(training: TrainingConfig): TrainingConfig {
  const { model, python, kubernetes } = training;
  const isPath = python?.includes('/') && !isAbsolute(python);
  return {
    ...training,
    model: existsSync(model) ? resolve(model) : model,
    python: python !== null && isPath ? resolve(python) : python,
    kubernetes: { ...kubernetes, pod_template: kubernetes.pod_template && resolve(kubernetes.pod_template) },
  };
}
