import { relative, sep } from 'node:path';
import type { JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import type {
  EpochWork,
  JobSettings,
  SettingRules,
  StepWork,
  Trainer,
  TrainingFootprint,
} from '../../contract/trainer.ts';
import { refuseInterpolation } from '../../output/quoting/hydraOverride.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { launcherTable } from '../launchers/launcherTable.ts';
import { trainerTable } from '../trainers/trainerTable.ts';
import { datasetFilesOf } from './datasetFiles.ts';
import { estimateJob, type ModelFacts, type TrainedModel } from './estimateJob.ts';
import { planNotes, publishedRunOf } from './planNotes.ts';

/** GPUs of an unknown machine, as in AFM's scripts. */
const USUAL_GPUS = 8;

export interface PlanInput {
  readonly training: TrainingConfig;
  readonly manifest: Manifest;
  /** SHA-256 of `manifest.json`. */
  readonly manifestSha256: string;
  /** Absolute path. */
  readonly datasetFolder: string;
  /** Absolute path: `train/<job>/` of the run. */
  readonly jobFolder: string;
  readonly run: string;
  readonly job: string;
  readonly model: ModelFacts;
  /** GPUs of this machine; null if not queried. */
  readonly gpusHere: number | null;
}

/**
 * Plans a training job. Pure.
 *
 * @throws UserError for settings that contradict each other, the dataset, or the trainer
 */
export function planTraining(input: PlanInput): TrainingPlan {
  const trainer = trainerTable[input.training.trainer];
  refuseUnfit(input.training, trainer);
  const { settings, work, batch } = jobSettings(input, trainer);
  const { training, steps } = settings;
  const keys = trainer.keysOf(settings);
  for (const [key, value] of Object.entries(keys)) {
    refuseInterpolation(key === trainer.settings.modelKey ? 'training.model' : key, value);
  }
  const plan = {
    trainer: training.trainer,
    launcher: training.launcher,
    model: training.model,
    model_billion_parameters: input.model.parameters === null ? null : input.model.parameters / 1e9,
    preset: presetOf(training, trainer),
    dataset: datasetOf(input, settings),
    hyper_parameters: keys,
    nodes: training.nodes,
    gpus_per_node: settings.gpusPerNode,
    processes_per_node: settings.processesPerNode,
    batch: {
      rows_per_device: batch.rowsPerDevice,
      gradient_accumulation_steps: batch.accumulationSteps,
      rows_per_step: batch.processes * batch.rowsPerDevice * batch.accumulationSteps,
    },
    ...(work && { rl: work.rl }),
    steps,
    epochs: settings.epochs,
    estimate: estimateOf(input, settings, trainer.footprintOf(keys), work?.rl.models),
  };
  return { ...plan, notes: planNotes(plan, input.training, input.manifest) };
}

function jobSettings(
  { training: asked, manifest, gpusHere, ...input }: PlanInput,
  trainer: Trainer,
): {
  readonly settings: JobSettings;
  readonly work: StepWork | undefined;
  readonly batch: Omit<EpochWork, 'rows'>;
} {
  const training = withKnownSchedule(asked, trainer);
  const files = datasetFilesOf(trainer, manifest);
  const gpusPerNode = training.gpus_per_node ?? gpusHere ?? USUAL_GPUS;
  const processesPerNode = training.processes_per_node ?? Math.max(1, gpusPerNode);
  refuseUnfitProcesses(processesPerNode, gpusPerNode);
  const processes = training.nodes * processesPerNode;
  const work = trainer.workOf?.(training);
  const epochs = work?.epochs ?? training.epochs;
  const maxSteps = training.max_steps ?? work?.maxSteps ?? null;
  const batch = work
    ? { processes: 1, rowsPerDevice: work.rowsPerStep, accumulationSteps: 1 }
    : {
        processes,
        rowsPerDevice: training.per_device_batch_size,
        accumulationSteps: training.gradient_accumulation_steps,
      };
  const steps = stepCounts(trainer, { rows: files.rows, ...batch, epochs, maxSteps });
  const endsByEpochs = maxSteps === null || steps.per_epoch === 0;
  const settings = {
    training,
    files,
    dataset: relative(input.jobFolder, input.datasetFolder).split(sep).join('/'),
    folders: { dataset: input.datasetFolder, job: input.jobFolder },
    cutoffLen: work?.rowTokens ?? manifest.cutoff_len,
    gpusPerNode,
    processesPerNode,
    processes,
    steps,
    epochs: endsByEpochs ? epochs : Math.ceil(maxSteps / steps.per_epoch),
    // An epoch of reinforcement learning may be a single step.
    saveSteps: training.save_steps ?? Math.max(1, work ? Math.ceil(steps.total / 10) : steps.per_epoch),
    run: input.run,
    job: input.job,
  };
  return { settings, work, batch };
}

/** Replaces the presets' linear schedule (AFM's) by the trainer's first one if unsupported. */
function withKnownSchedule(training: TrainingConfig, { settings }: Trainer): TrainingConfig {
  const { schedulers } = settings;
  return schedulers.includes(training.lr_scheduler)
    ? training
    : { ...training, lr_scheduler: schedulers[0]! };
}

function presetOf(training: TrainingConfig, trainer: Trainer): TrainingPlan['preset'] {
  const published = publishedRunOf(training, trainer);
  if (published === null) return null;
  const { source, hardware, not_published } = published.run;
  return { name: published.name, source, published_hardware: hardware, not_published };
}

function datasetOf(input: PlanInput, { files, cutoffLen }: JobSettings): TrainingPlan['dataset'] {
  return {
    folder: input.datasetFolder,
    manifest_sha256: input.manifestSha256,
    rows: files.rows,
    validation_rows: files.validationRows,
    tokens: files.tokens,
    trained_tokens: files.trainedTokens,
    cutoff_len: cutoffLen,
  };
}

function estimateOf(
  input: PlanInput,
  settings: JobSettings,
  footprint: TrainingFootprint,
  models: readonly TrainedModel[] = ['actor'],
): TrainingPlan['estimate'] {
  const { training, steps, files } = settings;
  const epochs = steps.per_epoch === 0 ? 0 : steps.total / steps.per_epoch;
  const estimate = estimateJob({
    facts: input.model,
    footprint,
    models,
    gpus: training.nodes * settings.gpusPerNode,
    rowsPerDevice: training.per_device_batch_size,
    rowTokens: settings.cutoffLen,
    tokens: files.tokens * epochs,
  });
  return { ...estimate, checkpoints: checkpointCount(settings, footprint) };
}

/** Maximum checkpoints at a time: one per interval and one at the end, up to the trainer's limit. */
function checkpointCount({ steps, saveSteps }: JobSettings, { maxCheckpoints }: TrainingFootprint): number {
  return Math.min(Math.ceil(steps.total / saveSteps), maxCheckpoints);
}

export interface StepArithmetic extends EpochWork {
  readonly epochs: number;
  /** Fixed number of steps; null: determined by the epochs. */
  readonly maxSteps: number | null;
}

/** Steps that a trainer takes and logs, by its own rule. */
export function stepCounts(
  { epochOf }: Pick<Trainer, 'epochOf'>,
  job: StepArithmetic,
): TrainingPlan['steps'] {
  const { steps, rowsLeftOut } = epochOf(job);
  const total = job.maxSteps ?? Math.ceil(job.epochs * steps);
  return { per_epoch: steps, total, rows_left_out: rowsLeftOut };
}

/** @throws UserError for settings that contradict each other, the trainer or the launcher */
function refuseUnfit(training: TrainingConfig, { name, settings }: Trainer): void {
  const { lr_scheduler, preset, epochs } = training;
  refuseSetKeys(settings, training.set);
  if (!settings.schedulers.includes(lr_scheduler) && preset === null) {
    throw new UserError(
      `training.lr_scheduler: expected ${settings.schedulers.join(' or ')}, got ${lr_scheduler}, which ${name} does not know`,
    );
  }
  if (settings.wholeEpochs && !Number.isInteger(epochs)) {
    throw new UserError(
      `training.epochs: expected a whole number, since ${name} trains whole epochs, got ${epochs}; set max_steps to end earlier`,
    );
  }
  launcherTable[training.launcher].refuse?.(training);
}

/** @throws UserError for more processes than GPUs on a machine with GPUs */
function refuseUnfitProcesses(processesPerNode: number, gpusPerNode: number): void {
  if (gpusPerNode === 0 || processesPerNode <= gpusPerNode) return;
  throw new UserError(
    `training.processes_per_node: expected at most ${gpusPerNode}, one a GPU, got ${processesPerNode}; leave it out, or say with --set gpus_per_node=N how many GPUs a machine has`,
  );
}

/**
 * Rejects invalid entries of `training.set`: malformed keys, keys that would change masks or the plan, and values that
 * the trainer would read differently.
 *
 * @throws UserError that names the key with a remedy
 */
function refuseSetKeys(
  { keyForm, expectedKey, refusedKeys, problemOf, bareKey }: SettingRules,
  set: Readonly<Record<string, JsonValue>>,
): void {
  for (const [key, value] of Object.entries(set)) {
    const name = `training.set.${key}`;
    if (!keyForm.test(key))
      throw new UserError(`training.set: expected ${expectedKey}, got ${JSON.stringify(key)}`);
    const reason = reasonOf(refusedKeys, bareKey?.(key) ?? key);
    if (reason !== undefined) throw new UserError(`${name}: refused, for ${reason}`);
    refuseInterpolation(name, value);
  }
  const problem = problemOf?.(set);
  if (problem !== undefined) throw new UserError(`training.set.${problem}`);
}

function reasonOf(reasons: Readonly<Record<string, string>>, key: string): string | undefined {
  if (Object.hasOwn(reasons, key)) return reasons[key];
  // A key above a refused one would set it too; a name with a trailing dot covers everything below.
  const related = Object.keys(reasons).find(
    (name) => name.startsWith(`${key}.`) || (name.endsWith('.') && key.startsWith(name)),
  );
  return related === undefined ? undefined : reasons[related];
}
