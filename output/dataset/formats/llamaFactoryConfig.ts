import type { YamlComments } from '../../quoting/renderYaml.ts';
import type { FormatSettings, TextFile, WrittenFormat } from '../datasetFormat.ts';
import { readyConfig } from './readyConfig.ts';

/** Rows that a LLaMA-Factory configuration trains on. Paths are relative to its start folder. */
interface RowsToTrain {
  readonly dataset: string;
  readonly evalDataset: string;
  /** Folder of pairs with ids and labels for DPO; absent: fine-tuning on the rows of `dataset`. */
  readonly tokenizedPairs?: string;
}

const comments: YamlComments = {
  template: 'The rows carry the chat markup themselves; any other template would write it twice.',
  cutoff_len: 'No row is longer: LLaMA-Factory must never cut one.',
  tokenized_path: 'Ids and labels of both sides; `dataset` is asked for and not read.',
  packing: 'Packing mixes rows in one sequence; the masks hold either way.',
  report_to: 'Or wandb, tensorboard, swanlab, mlflow, trackio.',
};

/** Default learning rate for DPO: TRL's default. That of fine-tuning is far too high. */
export const DPO_LEARNING_RATE = 1e-6;
/** DPO beta, the default of both trainers. */
export const DPO_BETA = 0.1;

/** `train.yaml`: complete configuration for `llamafactory-cli train` in the format's folder. */
export function llamaFactoryConfig(
  folder: string,
  { training, dataset: { cutoff_len } }: FormatSettings,
  { hasValidation }: WrittenFormat,
  { dataset, evalDataset, tokenizedPairs }: RowsToTrain,
): TextFile {
  const pairs = tokenizedPairs !== undefined;
  const config = {
    model_name_or_path: training.model,
    stage: pairs ? 'dpo' : 'sft',
    do_train: true,
    finetuning_type: 'full',
    dataset_dir: '.',
    dataset,
    ...(hasValidation && { eval_dataset: evalDataset }),
    template: 'empty',
    cutoff_len,
    ...(pairs ? { tokenized_path: tokenizedPairs, pref_beta: DPO_BETA } : { packing: false }),
    output_dir: 'output',
    logging_steps: 1,
    save_strategy: 'epoch',
    plot_loss: true,
    report_to: 'none',
    per_device_train_batch_size: training.per_device_batch_size,
    // Validation loss is measured at each checkpoint.
    ...(hasValidation && {
      eval_strategy: 'epoch',
      per_device_eval_batch_size: training.per_device_batch_size,
    }),
    gradient_accumulation_steps: training.gradient_accumulation_steps,
    learning_rate: pairs ? DPO_LEARNING_RATE : training.learning_rate,
    num_train_epochs: training.epochs,
    lr_scheduler_type: training.lr_scheduler,
    warmup_ratio: training.warmup_ratio,
    bf16: true,
    ddp_timeout: 180_000_000,
    seed: training.seed,
  };
  return readyConfig(`${folder}/train.yaml`, 'llamafactory-cli train train.yaml', config, comments);
}
