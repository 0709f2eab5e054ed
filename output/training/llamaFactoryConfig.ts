import type { TrainingConfig } from '../../schemas/config/dataset.ts';
import { renderYaml, type YamlComments } from '../yaml/renderYaml.ts';

/** What a LLaMA-Factory configuration is made from. Paths are relative to the folder in which it is started. */
export interface LlamaFactoryOptions {
  readonly training: TrainingConfig;
  readonly cutoffLen: number;
  readonly data:
    | { readonly form: 'text'; readonly folder: string; readonly dataset: string }
    | { readonly form: 'tokenized'; readonly folder: string };
  readonly outputDir: string;
  /** DeepSpeed's configuration, for training over several GPUs. */
  readonly deepspeed?: string;
  /** Lines at the file's beginning. */
  readonly heading: string;
}

const comments: YamlComments = {
  template: 'The rows carry the chat markup themselves; any other template would write it twice.',
  cutoff_len: 'No row is longer: LLaMA-Factory must never cut one.',
  packing: 'Packing mixes rows in one sequence; the masks hold either way.',
  report_to: 'Or wandb, tensorboard, swanlab, mlflow, trackio.',
};

/** A complete configuration for `llamafactory-cli train`. */
export function llamaFactoryConfig(options: LlamaFactoryOptions): string {
  const { training, data } = options;
  const config = {
    model_name_or_path: training.model,
    stage: 'sft',
    do_train: true,
    finetuning_type: 'full',
    ...(options.deepspeed === undefined ? {} : { deepspeed: options.deepspeed }),
    ...dataKeys(data),
    template: 'empty',
    cutoff_len: options.cutoffLen,
    packing: false,
    output_dir: options.outputDir,
    logging_steps: 1,
    save_strategy: 'epoch',
    plot_loss: true,
    report_to: 'none',
    per_device_train_batch_size: training.per_device_batch_size,
    gradient_accumulation_steps: training.gradient_accumulation_steps,
    learning_rate: training.learning_rate,
    num_train_epochs: training.epochs,
    lr_scheduler_type: 'cosine',
    warmup_ratio: training.warmup_ratio,
    bf16: true,
    ddp_timeout: 180_000_000,
    seed: training.seed,
  };
  return `${options.heading.replace(/^/gm, '# ')}\n${renderYaml(config, { ...comments, ...dataComments(data) })}`;
}

function dataKeys(data: LlamaFactoryOptions['data']) {
  return data.form === 'text'
    ? { dataset_dir: data.folder, dataset: data.dataset }
    : { tokenized_path: data.folder, dataset: 'unused' };
}

function dataComments(data: LlamaFactoryOptions['data']): YamlComments {
  return data.form === 'text' ? {} : { dataset: 'Asked for, and not read: the rows are in tokenized_path.' };
}
