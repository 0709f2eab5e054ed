/** Reasons for rejecting a key of `training.set`. Each trainer lists its own keys. */
export const refusals = {
  rows: "the rows' ids and masks are finished, and this would change or replace them",
  length: 'a row that is cut loses part of its mask; set dataset.cutoff_len and export again',
  folder: 'the job is followed and resumed in its own folder',
  steps: 'the plan counts every step, and a job with fewer or other ones would be taken for a failed one',
  resume: 'the trainer goes on from the newest checkpoint by itself; see coa-distill train resume',
} as const;

/** Form of dataclass argument names, as in Hugging Face's programs. */
export const argumentForm = /^[a-z][a-z0-9_]*$/;

/** Reason for a key that the plan derives from a configuration key, which must be set instead. */
export function setInstead(key: string): string {
  return `the plan is worked out from it; set training.${key} instead`;
}

/** Keys with a common reason, given as space-separated names. */
export function refusedFor(reason: string, ...keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.flatMap((line) => line.split(' ')).map((key) => [key, reason]));
}

/** Hugging Face `TrainingArguments` keys that the plan sets for all trainers based on them. */
export const trainingArgumentsSetElsewhere: Readonly<Record<string, string>> = {
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
};
