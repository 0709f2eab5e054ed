import type { JsonValue } from '../../../base/json.ts';
import type { JobSettings } from '../../../contract/trainer.ts';

/** DeepSpeed's configuration, in the job's folder. */
export const deepspeedFile = 'deepspeed-zero3.json';

/** Where LLaMA-Factory writes, in the job's folder. */
export const llamaFactoryOutput = 'output';

/** The keys of a LLaMA-Factory configuration that trains on the dataset's tokens, `training.set` included. */
export function llamaFactoryKeys(settings: JobSettings): Record<string, JsonValue> {
  const { training, dataset, gpusPerNode, epochs, cutoffLen } = settings;
  const onGpu = gpusPerNode > 0;
  return {
    model_name_or_path: training.model,
    stage: 'sft',
    do_train: true,
    finetuning_type: 'full',
    ...(onGpu ? { deepspeed: deepspeedFile } : { use_cpu: true }),
    tokenized_path: `${dataset}/tokenized`,
    dataset: 'unused',
    ...validationKeys(settings),
    template: 'empty',
    cutoff_len: cutoffLen,
    packing: false,
    output_dir: llamaFactoryOutput,
    logging_steps: 1,
    // A loss that is not a number must show as one.
    logging_nan_inf_filter: false,
    ...(training.save_steps === null
      ? { save_strategy: 'epoch' }
      : { save_strategy: 'steps', save_steps: training.save_steps }),
    plot_loss: true,
    report_to: 'none',
    per_device_train_batch_size: training.per_device_batch_size,
    gradient_accumulation_steps: training.gradient_accumulation_steps,
    learning_rate: training.learning_rate,
    num_train_epochs: epochs,
    ...(training.max_steps === null ? {} : { max_steps: training.max_steps }),
    lr_scheduler_type: training.lr_scheduler,
    warmup_ratio: training.warmup_ratio,
    bf16: onGpu,
    ddp_timeout: 180_000_000,
    seed: training.seed,
    ...training.set,
  };
}

function validationKeys({ training, files }: JobSettings): Record<string, JsonValue> {
  if (files.validationRows === 0) return {};
  return {
    eval_dataset: 'unused',
    eval_strategy: 'epoch',
    per_device_eval_batch_size: training.per_device_batch_size,
  };
}
