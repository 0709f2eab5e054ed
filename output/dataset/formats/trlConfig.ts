import type { TrainingConfig } from '../../../schemas/config/training.ts';
import { renderYaml, type YamlComments } from '../../quoting/renderYaml.ts';

interface TrlConfigOptions {
  readonly training: TrainingConfig;
  readonly hasValidation: boolean;
  /** What starts training, in the folder that holds `data`. */
  readonly command: string;
  /** What the method adds between the data and the schedule. */
  readonly own: Readonly<Record<string, string | number | boolean | null>>;
  readonly learningRate: number;
  readonly comments: YamlComments;
}

/** A complete configuration, `--config FILE`, for the parquet files in `data`. */
export function trlConfig({
  training,
  hasValidation,
  command,
  own,
  learningRate,
  comments,
}: TrlConfigOptions): string {
  const config = {
    model_name_or_path: training.model,
    dataset_name: 'data',
    ...(hasValidation ? { dataset_test_split: 'validation', eval_strategy: 'epoch' } : {}),
    ...own,
    output_dir: 'output',
    num_train_epochs: training.epochs,
    per_device_train_batch_size: training.per_device_batch_size,
    gradient_accumulation_steps: training.gradient_accumulation_steps,
    learning_rate: learningRate,
    lr_scheduler_type: training.lr_scheduler,
    warmup_ratio: training.warmup_ratio,
    bf16: true,
    gradient_checkpointing: true,
    logging_steps: 1,
    save_strategy: 'epoch',
    report_to: 'none',
    seed: training.seed,
  };
  return `# Run in this folder: ${command}\n${renderYaml(config, comments)}`;
}
