import { Float32 } from 'apache-arrow';
import type { JsonObject } from '../../../base/json.ts';
import type { TrainingConfig } from '../../../schemas/config/training.ts';
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
import { parquetPart } from './formatParts.ts';
import { readyConfig } from './readyConfig.ts';

type WeightedRow = LabelledRow & { readonly weights?: Float32Array | undefined };

/** Adds the loss weight of every token. */
const weightedColumns: RowColumns<WeightedRow> = {
  ...labelledColumns,
  columns: [
    ...labelledColumns.columns,
    tokenColumn<WeightedRow>('loss_weights', new Float32(), tokenWeights),
  ],
};

/**
 * `hugging_face/`: ids and labels as parquet, for TRL and other tools based on the `Trainer` of transformers, with a
 * TRL configuration. These trainers ignore loss weights, so the weights have their own column for custom loss
 * functions.
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
    const columns = usesLossWeights(settings.dataset) ? weightedColumns : labelledColumns;
    const rowOf = ({ inputIds, lossMask, weights }: WeightedRow) => ({ inputIds, lossMask, weights });
    return {
      parts: [parquetPart(rowOf, columns, 'hugging_face/data/')],
      guide: (written) => ({
        files: [sftConfig(settings, written)],
        start: 'trl sft --config sft.yaml',
        beware: [
          'TRL cuts at `max_length`, 1,024 by default: leave it null. A collator of your own must pad `labels` with -100.',
          columns === weightedColumns &&
            'TRL and the Trainer drop `loss_weights` and train all labels alike: the weights are for a loss function of your own, sum(weight x loss) / sum(weight), shifted by one like the labels.',
        ],
      }),
    };
  },
};

function sftConfig({ training }: FormatSettings, { hasValidation }: WrittenFormat): TextFile {
  const config = trlKeys(training, hasValidation, { max_length: null, packing: false });
  return readyConfig('hugging_face/sft.yaml', 'trl sft --config sft.yaml', config, {
    max_length: 'No row is longer than its model takes; the default of TRL would cut rows at 1024 tokens.',
    packing: 'Packing mixes rows in one sequence; the masks hold either way.',
  });
}

/**
 * TRL keys for the parquet files in `data`.
 *
 * @param own keys of the method, between data and schedule
 */
export function trlKeys(training: TrainingConfig, hasValidation: boolean, own: JsonObject) {
  return {
    model_name_or_path: training.model,
    dataset_name: 'data',
    ...(hasValidation && { dataset_test_split: 'validation', eval_strategy: 'epoch' }),
    ...own,
    ...trainingArguments(training, { bf16: true }),
  };
}

/** Arguments of transformers' `Trainer`, in the naming of trainers based on it. */
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
