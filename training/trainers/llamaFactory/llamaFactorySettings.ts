import type { SettingRules } from '../../../contract/trainer.ts';
import { refusals, refusedFor, setInstead } from '../refusedKeys.ts';

/** What `training` may ask of LLaMA-Factory. */
export const llamaFactorySettings: SettingRules = {
  schedulers: ['linear', 'cosine', 'constant'],
  wholeEpochs: false,
  modelKey: 'model_name_or_path',
  keyForm: /^[a-z][a-z0-9_]*$/,
  expectedKey: "a key of LLaMA-Factory's configuration, such as weight_decay",
  refusedKeys: {
    ...refusedFor(
      refusals.rows,
      'template dataset dataset_dir eval_dataset media_dir tokenized_path streaming packing neat_packing',
      'mask_history train_on_prompt max_samples val_size mix_strategy interleave_probs ignore_pad_token_for_loss',
      'tool_format default_system enable_thinking preserve_thinking stage do_train use_mca efficient_eos',
      'new_special_tokens add_tokens add_special_tokens resize_vocab',
    ),
    cutoff_len: refusals.length,
    ...refusedFor(
      refusals.folder,
      'output_dir overwrite_output_dir logging_dir logging_steps logging_strategy logging_nan_inf_filter',
    ),
    ...refusedFor(refusals.resume, 'resume_from_checkpoint'),
    ...refusedFor(refusals.steps, 'dataloader_drop_last early_stopping_steps accelerator_config'),
    model_name_or_path: setInstead('model'),
    per_device_train_batch_size: setInstead('per_device_batch_size'),
    gradient_accumulation_steps: setInstead('gradient_accumulation_steps'),
    auto_find_batch_size: setInstead('per_device_batch_size'),
    num_train_epochs: setInstead('epochs'),
    max_steps: setInstead('max_steps'),
    learning_rate: setInstead('learning_rate'),
    lr_scheduler_type: setInstead('lr_scheduler'),
    warmup_ratio: setInstead('warmup_ratio'),
    warmup_steps: setInstead('warmup_ratio'),
    save_steps: setInstead('save_steps'),
    save_strategy: setInstead('save_steps'),
    seed: setInstead('seed'),
    use_cpu: setInstead('gpus_per_node'),
    use_ray: setInstead('launcher'),
  },
};
