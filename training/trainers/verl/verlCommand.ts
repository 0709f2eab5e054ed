import type { JsonValue } from '../../../base/json.ts';
import type { JobSettings, SettingRules, TrainerCommand } from '../../../contract/trainer.ts';
import { hydraOverride } from '../../../output/quoting/hydraOverride.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';
import { refusals, refusedFor, setInstead } from '../refusedKeys.ts';
import { verlTrackerFile } from './verlCheckpoints.ts';

const metricsFile = 'metrics.jsonl';
const earlierMetricsFile = 'metrics-earlier.jsonl';

export const verlCheckpointFolder = 'checkpoints';

export const verlOutput: TrainerCommand['follow'] = {
  metrics_file: metricsFile,
  earlier_metrics_file: earlierMetricsFile,
  checkpoint_folder: verlCheckpointFolder,
};

/** verl's configuration as command line overrides. */
export function verlArguments({ hyper_parameters: keys }: TrainingPlan): string[] {
  const overrides = Object.entries(keys).map(([key, value]) => hydraOverride(key, value));
  // Hydra's own log folder; no copy of the configuration.
  return [...overrides, 'hydra.run.dir=hydra', 'hydra.output_subdir=null'];
}

/** Command of verl's SFT trainer with its configuration as overrides. */
export function verlCommand(plan: TrainingPlan): TrainerCommand {
  return {
    files: [],
    module: 'verl.trainer.sft_trainer',
    args: verlArguments(plan),
    torchrun: true,
    preparation: verlPreparation + keepEpochEnds(plan.steps.per_epoch),
    follow: verlOutput,
  };
}

/** Bash lines that keep verl's log of earlier attempts. */
export const verlPreparation = `# verl empties its log at every start: what is there is kept. Of several machines one does it.
if mv ${metricsFile} "${metricsFile}.$HOSTNAME.$$" 2> /dev/null; then
  awk 1 "${metricsFile}.$HOSTNAME.$$" >> ${earlierMetricsFile}
  rm "${metricsFile}.$HOSTNAME.$$"
fi
export VERL_FILE_LOGGER_PATH="$PWD/${metricsFile}"
`;

/**
 * A checkpoint at an epoch's end contains an exhausted data loader, on which verl (0.9) would spend the next epoch.
 * Without the loader's state, it begins that epoch with the correct rows.
 */
function keepEpochEnds(stepsAnEpoch: number): string {
  if (stepsAnEpoch === 0) return '';
  return `
# A data loader that was saved at an epoch's end has no rows left, and verl would lose the next epoch to it.
if step="$(cat ${verlCheckpointFolder}/${verlTrackerFile} 2> /dev/null)" && ((step % ${stepsAnEpoch} == 0)); then
  for state in "${verlCheckpointFolder}/global_step_$step"/data_*.pt; do
    # Of several machines one does it.
    if ! mv "$state" "$state.epoch_end" 2> /dev/null && [[ -e "$state" ]]; then
      echo "run.sh: $state can't be moved; see who may write there" >&2
      exit 1
    fi
  done
fi
`;
}

/** Keys of verl's SFT configuration (0.9) for training on the dataset's parquet files, including `training.set`. */
export function verlKeys(settings: JobSettings): Record<string, JsonValue> {
  const { training, files, dataset, cutoffLen, processes, processesPerNode, epochs, run, job } = settings;
  const rowsPerDevice = training.per_device_batch_size;
  const inDataset = (paths: readonly string[]): JsonValue => paths.map((path) => `${dataset}/${path}`);
  return mergedKeys(
    {
      'data.train_files': inDataset(files.train),
      'data.val_files': files.validationRows === 0 ? null : inDataset(files.validation),
      'data.custom_cls.path': `${dataset}/verl/coa_dataset.py`,
      'data.custom_cls.name': 'CoaDataset',
      'data.train_batch_size': processes * rowsPerDevice * training.gradient_accumulation_steps,
      'data.micro_batch_size_per_gpu': rowsPerDevice,
      'data.use_dynamic_bsz': false,
      'data.max_length': cutoffLen,
      'data.pad_mode': 'no_padding',
      'data.truncation': 'error',
      'model.path': training.model,
      'model.use_remove_padding': true,
      engine: 'fsdp',
      optim: 'fsdp',
      'engine.seed': training.seed,
      'optim.lr': training.learning_rate,
      'optim.lr_scheduler_type': training.lr_scheduler,
      'optim.lr_warmup_steps_ratio': training.warmup_ratio,
      'checkpoint.save_contents': ['model', 'optimizer', 'extra', 'hf_model'],
      'trainer.default_local_dir': verlCheckpointFolder,
      'trainer.project_name': run,
      'trainer.experiment_name': job,
      'trainer.logger': loggersWith(training.set),
      'trainer.total_epochs': epochs,
      'trainer.total_training_steps': training.max_steps,
      'trainer.save_freq': training.save_steps ?? 'after_each_epoch',
      'trainer.test_freq': files.validationRows === 0 ? -1 : 'after_each_epoch',
      'trainer.resume_mode': 'auto',
      'trainer.seed': training.seed,
      'trainer.nnodes': training.nodes,
      'trainer.n_gpus_per_node': processesPerNode,
      ...(settings.gpusPerNode === 0 ? cpuKeys : {}),
    },
    training.set,
  );
}

/**
 * Merges keys; the second argument wins, ignoring the + prefix of keys that verl's configuration lacks. {@link
 * loggersWith} combines loggers.
 */
export function mergedKeys(
  keys: Record<string, JsonValue>,
  set: Record<string, JsonValue>,
): Record<string, JsonValue> {
  const added = Object.fromEntries(Object.entries(set).filter(([key]) => !isLogger(key)));
  const replaced = new Set(Object.keys(added).map(bareKey));
  const kept = Object.entries(keys).filter(([key]) => !replaced.has(bareKey(key)));
  return { ...Object.fromEntries(kept), ...added };
}

/** Adds the console and the log file that the job is followed by to the requested loggers. */
export function loggersWith(set: Readonly<Record<string, JsonValue>>): JsonValue {
  const asked = Object.entries(set).filter(([key]) => isLogger(key));
  return [...new Set<JsonValue>(['console', 'file', ...asked.flatMap(([, value]) => value)])];
}

function isLogger(key: string): boolean {
  return bareKey(key) === 'trainer.logger';
}

/** Settings without GPUs. verl also needs a plug-in for the platform, which it does not include. */
const cpuKeys: Readonly<Record<string, JsonValue>> = {
  'trainer.device': 'cpu',
  // FSDP1 does not support CPUs.
  'engine.strategy': 'fsdp2',
  'engine.use_torch_compile': false,
  '+engine.mixed_precision': { param_dtype: 'fp32', reduce_dtype: 'fp32', buffer_dtype: 'fp32' },
  '+model.override_config.attn_implementation': 'sdpa',
  'data.num_workers': 0,
};

/** Keys that verl's trainers reject in `training.set`. */
export const refusedByVerl: Readonly<Record<string, string>> = {
  ...refusedFor(
    refusals.folder,
    'trainer.default_local_dir trainer.default_hdfs_dir trainer.project_name trainer.experiment_name hydra.',
  ),
  ...refusedFor(refusals.resume, 'trainer.resume_mode trainer.resume_from_path'),
  'trainer.total_training_steps': setInstead('max_steps'),
  'trainer.save_freq': setInstead('save_steps'),
  'trainer.device': setInstead('gpus_per_node'),
  'trainer.nnodes': setInstead('nodes'),
  'trainer.n_gpus_per_node': setInstead('gpus_per_node'),
};

export const verlSettings: SettingRules = {
  schedulers: ['cosine', 'constant'],
  wholeEpochs: true,
  modelKey: 'model.path',
  keyForm: /^\+{0,2}[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/,
  expectedKey:
    "a key of verl's configuration with dots, such as optim.weight_decay, with + in front where it is new",
  bareKey,
  refusedKeys: {
    ...refusedFor(
      refusals.rows,
      'data.train_files data.val_files data.custom_cls. data.messages_key data.tools_key data.pad_mode',
      'data.truncation data.train_max_samples data.val_max_samples data.enable_thinking_key',
      'data.enable_thinking_default data.apply_chat_template_kwargs. data.ignore_input_ids_mismatch data.use_shm',
    ),
    'data.max_length': refusals.length,
    ...refusedByVerl,
    'model.path': setInstead('model'),
    'data.train_batch_size': `${setInstead('gradient_accumulation_steps')}: it is processes x per_device_batch_size x gradient_accumulation_steps`,
    'data.micro_batch_size_per_gpu': setInstead('per_device_batch_size'),
    'trainer.total_epochs': setInstead('epochs'),
    'optim.lr': setInstead('learning_rate'),
    'optim.lr_scheduler_type': setInstead('lr_scheduler'),
    'optim.lr_warmup_steps_ratio': setInstead('warmup_ratio'),
    'optim.lr_warmup_steps': setInstead('warmup_ratio'),
    'trainer.seed': setInstead('seed'),
  },
};

/** Key without Hydra's `+` or `++` prefix, which only says if the key is new. */
export function bareKey(key: string): string {
  return key.replace(/^\++/, '');
}
