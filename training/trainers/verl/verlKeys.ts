import type { JsonValue } from '../../../base/json.ts';
import type { JobSettings } from '../../../contract/trainer.ts';
import { bareKey } from './verlSettings.ts';

/** Where verl saves checkpoints, in the job's folder. */
export const verlCheckpointFolder = 'checkpoints';

/** The keys of verl's SFT configuration (0.9) that train on the dataset's parquet files, `training.set` included. */
export function verlKeys(settings: JobSettings): Record<string, JsonValue> {
  const { training, files, dataset, cutoffLen, processes, processesPerNode, epochs, run, job } = settings;
  const rowsPerDevice = training.per_device_batch_size;
  const inDataset = (paths: readonly string[]): JsonValue => paths.map((path) => `${dataset}/${path}`);
  return merged(
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
    Object.fromEntries(Object.entries(training.set).filter(([key]) => !isLogger(key))),
  );
}

/** Keys of the second win, whichever of them has the + of a key that verl's own configuration lacks. */
function merged(keys: Record<string, JsonValue>, set: Record<string, JsonValue>): Record<string, JsonValue> {
  const replaced = new Set(Object.keys(set).map(bareKey));
  const kept = Object.entries(keys).filter(([key]) => !replaced.has(bareKey(key)));
  return { ...Object.fromEntries(kept), ...set };
}

/** The console and the file that the job is followed by, whatever else is asked for. */
function loggersWith(set: Readonly<Record<string, JsonValue>>): JsonValue {
  const asked = Object.entries(set).filter(([key]) => isLogger(key));
  return [...new Set<JsonValue>(['console', 'file', ...asked.flatMap(([, value]) => value)])];
}

function isLogger(key: string): boolean {
  return bareKey(key) === 'trainer.logger';
}

/** What verl asks for without GPUs; it also needs a plug-in with a platform of its own, which stock verl has not. */
const cpuKeys: Readonly<Record<string, JsonValue>> = {
  'trainer.device': 'cpu',
  // FSDP1 refuses a CPU.
  'engine.strategy': 'fsdp2',
  'engine.use_torch_compile': false,
  '+engine.mixed_precision': { param_dtype: 'fp32', reduce_dtype: 'fp32', buffer_dtype: 'fp32' },
  '+model.override_config.attn_implementation': 'sdpa',
  'data.num_workers': 0,
};
