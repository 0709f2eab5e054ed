import type { SettingRules } from '../../../contract/trainer.ts';
import { refusals, refusedFor, setInstead } from '../refusedKeys.ts';

/** What `training` may ask of verl's SFT trainer. */
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
    ...refusedFor(
      refusals.folder,
      'trainer.default_local_dir trainer.default_hdfs_dir trainer.project_name trainer.experiment_name hydra.',
    ),
    ...refusedFor(refusals.resume, 'trainer.resume_mode trainer.resume_from_path'),
    'model.path': setInstead('model'),
    'data.train_batch_size': `${setInstead('gradient_accumulation_steps')}: it is processes x per_device_batch_size x gradient_accumulation_steps`,
    'data.micro_batch_size_per_gpu': setInstead('per_device_batch_size'),
    'trainer.total_epochs': setInstead('epochs'),
    'trainer.total_training_steps': setInstead('max_steps'),
    'optim.lr': setInstead('learning_rate'),
    'optim.lr_scheduler_type': setInstead('lr_scheduler'),
    'optim.lr_warmup_steps_ratio': setInstead('warmup_ratio'),
    'optim.lr_warmup_steps': setInstead('warmup_ratio'),
    'trainer.save_freq': setInstead('save_steps'),
    'trainer.seed': setInstead('seed'),
    'trainer.device': setInstead('gpus_per_node'),
    'trainer.nnodes': setInstead('nodes'),
    'trainer.n_gpus_per_node': setInstead('gpus_per_node'),
  },
};

/** A key of verl's configuration without Hydra's `+` or `++` in front, which only says whether the key is new. */
export function bareKey(key: string): string {
  return key.replace(/^\++/, '');
}
