import type { TrainingConfig } from '../../../schemas/config/training.ts';
import { renderYaml } from '../../quoting/renderYaml.ts';

/** A file of rows as Axolotl is told of it. Paths start at the folder in which Axolotl is started. */
export interface AxolotlDataset {
  readonly path: string;
  readonly ds_type: 'json' | 'parquet';
  /** `input_output` for segments; null for rows that are tokens already. */
  readonly type: 'input_output' | null;
}

/** What an Axolotl configuration is made from. */
interface AxolotlOptions {
  readonly training: TrainingConfig;
  readonly cutoffLen: number;
  readonly train: readonly AxolotlDataset[];
  /** Empty without a validation split. */
  readonly validation: readonly AxolotlDataset[];
  /** Where Axolotl keeps what it has prepared; another folder for other data. */
  readonly preparedPath: string;
  readonly heading: string;
}

const comments = {
  dataset_prepared_path:
    'Axolotl takes what lies here for its rows without another look: the name changes with the data.',
  sequence_len: 'No row is longer, and one that were would stop the training: by default Axolotl drops it.',
  train_on_inputs: 'The labels say what is trained.',
  sample_packing: 'Packing mixes rows in one sequence; the masks hold either way.',
};

/** A complete configuration for `axolotl train`. */
export function axolotlConfig(options: AxolotlOptions): string {
  const { training } = options;
  const config = {
    base_model: training.model,
    datasets: options.train,
    ...(options.validation.length === 0
      ? { val_set_size: 0 }
      : { test_datasets: options.validation.map((dataset) => ({ ...dataset, split: 'train' })) }),
    dataset_prepared_path: options.preparedPath,
    sequence_len: options.cutoffLen,
    excess_length_strategy: 'raise',
    train_on_inputs: false,
    sample_packing: false,
    output_dir: 'output',
    num_epochs: training.epochs,
    micro_batch_size: training.per_device_batch_size,
    gradient_accumulation_steps: training.gradient_accumulation_steps,
    learning_rate: training.learning_rate,
    lr_scheduler: training.lr_scheduler,
    warmup_ratio: training.warmup_ratio,
    optimizer: 'adamw_torch',
    bf16: true,
    gradient_checkpointing: true,
    logging_steps: 1,
    saves_per_epoch: 1,
    seed: training.seed,
  };
  return `${options.heading.replace(/^/gm, '# ')}\n${renderYaml(config, comments)}`;
}
