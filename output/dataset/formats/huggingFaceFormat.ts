import { Float32 } from 'apache-arrow';
import type { TrainingConfig } from '../../../schemas/config/training.ts';
import { renderYaml, type YamlComments } from '../../quoting/renderYaml.ts';
import { tokenWeights, usesLossWeights } from '../../rows/segmentWeights.ts';
import {
  type DatasetFormat,
  type FormatSettings,
  type TextFile,
  type WrittenFormat,
  weightedCapabilities,
} from '../datasetFormat.ts';
import {
  type LabelledRow,
  labelledColumns,
  namesOf,
  type RowColumns,
  tokenColumn,
} from '../files/columns.ts';
import { withReadme } from '../formatReadme.ts';
import { parquetPart } from './formatParts.ts';

type WeightedRow = LabelledRow & { readonly weights?: Float32Array | undefined };

/** The loss weight of every token beside its label. */
const weightedColumns: RowColumns<WeightedRow> = {
  ...labelledColumns,
  columns: [
    ...labelledColumns.columns,
    tokenColumn<WeightedRow>('loss_weights', new Float32(), tokenWeights),
  ],
};

/**
 * `hugging_face/`: ids and labels in parquet, for TRL and whatever else is built on the `Trainer` of transformers,
 * and a configuration for TRL. The trainers ignore loss weights, so these stand in a column of their own, for
 * people's own loss functions.
 */
export const huggingFaceFormat: DatasetFormat<'trajectory'> = {
  name: 'hugging_face',
  records: 'trajectory',
  columns: namesOf(labelledColumns),
  readers: ['trl'],
  card: {
    opened: '`load_dataset(FOLDER + "/hugging_face/data")`',
    trainer: 'TRL, the Trainer of transformers',
    mask: '`labels`',
  },
  capabilities: weightedCapabilities,
  layoutOf(settings) {
    const columns = usesLossWeights(settings.dataset.mask) ? weightedColumns : labelledColumns;
    const rowOf = ({ inputIds, lossMask, weights }: WeightedRow) => ({ inputIds, lossMask, weights });
    return {
      parts: [parquetPart(rowOf, columns, 'hugging_face/data/')],
      companions: (written) =>
        withReadme(huggingFaceFormat, settings, written, {
          files: [sftConfig(settings, written)],
          start: 'trl sft --config sft.yaml',
          beware: [
            'TRL cuts at `max_length`, 1,024 by default: leave it null. A collator of your own must pad `labels` with -100.',
            ...(columns === weightedColumns
              ? [
                  'TRL and the Trainer drop `loss_weights` and train all labels alike: the weights are for a loss function of your own, sum(weight x loss) / sum(weight), shifted by one like the labels.',
                ]
              : []),
          ],
        }),
    };
  },
};

function sftConfig({ training }: FormatSettings, { hasValidation }: WrittenFormat): TextFile {
  return trlConfig({
    training,
    hasValidation,
    path: 'hugging_face/sft.yaml',
    command: 'trl sft --config sft.yaml',
    own: { max_length: null, packing: false },
    learningRate: training.learning_rate,
    comments: {
      max_length: 'No row is longer than its model takes; the default of TRL would cut rows at 1024 tokens.',
      packing: 'Packing mixes rows in one sequence; the masks hold either way.',
    },
  });
}

interface TrlConfigOptions {
  readonly training: TrainingConfig;
  readonly hasValidation: boolean;
  readonly path: string;
  /** What starts training, in the folder that holds `data`. */
  readonly command: string;
  /** What the method adds between the data and the schedule. */
  readonly own: Readonly<Record<string, string | number | boolean | null>>;
  readonly learningRate: number;
  readonly comments: YamlComments;
}

/** A complete configuration, `--config FILE`, for the parquet files in `data`. */
export function trlConfig(options: TrlConfigOptions): TextFile {
  const { training, learningRate: learning_rate } = options;
  const config = {
    model_name_or_path: training.model,
    dataset_name: 'data',
    ...(options.hasValidation && { dataset_test_split: 'validation', eval_strategy: 'epoch' }),
    ...options.own,
    ...trainingArguments({ ...training, learning_rate }, { bf16: true }),
  };
  const text = `# Run in this folder: ${options.command}\n${renderYaml(config, options.comments)}`;
  return { path: options.path, text, what: 'a ready configuration; set the model' };
}

/** The arguments of transformers' `Trainer`, as the trainers that are built on it name them. */
export function trainingArguments(
  training: TrainingConfig,
  precision: { readonly bf16: true } | { readonly torch_dtype: 'bfloat16' },
) {
  return {
    output_dir: 'output',
    num_train_epochs: training.epochs,
    per_device_train_batch_size: training.per_device_batch_size,
    gradient_accumulation_steps: training.gradient_accumulation_steps,
    learning_rate: training.learning_rate,
    lr_scheduler_type: training.lr_scheduler,
    warmup_ratio: training.warmup_ratio,
    ...precision,
    gradient_checkpointing: true,
    logging_steps: 1,
    save_strategy: 'epoch',
    report_to: 'none',
    seed: training.seed,
  };
}
