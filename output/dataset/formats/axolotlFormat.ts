import { createHash } from 'node:crypto';
import type { Split } from '../../../schemas/manifest.ts';
import { axolotlRow } from '../../../schemas/rows/axolotlSegments.ts';
import {
  type DatasetFormat,
  type FormatSettings,
  maskedCapabilities,
  type TextFile,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { labelledColumns, labelledRow, namesOf } from '../files/columns.ts';
import { filesOfSplit, jsonPart, parquetPart } from './formatParts.ts';
import { readyConfig } from './readyConfig.ts';

/** `axolotl/`: rows as text segments and as tokens, with a configuration for each. */
export const axolotlFormat: DatasetFormat<'trajectory'> = {
  name: 'axolotl',
  records: 'trajectory',
  columns: ['segments', ...namesOf(labelledColumns)],
  readers: ['axolotl'],
  card: {
    opened: '`load_dataset("json", data_files=FOLDER + "/axolotl/segments/*.jsonl")`',
    trainer: 'Axolotl, on text or on tokens',
    mask: '`label` of each segment, `labels` of the tokens',
  },
  // axolotl encodes trained and untrained stretches separately, as with `boundary_tokens: apart`.
  capabilities: maskedCapabilities,
  layoutOf: (settings) => ({
    parts: [
      jsonPart(axolotlRow, 'axolotl/segments/'),
      parquetPart(labelledRow, labelledColumns, 'axolotl/tokens/'),
    ],
    guide: (written) => ({
      files: [
        configFile('segments', { ds_type: 'json', type: 'input_output' }, settings, written),
        configFile('tokens', { ds_type: 'parquet', type: null }, settings, written),
      ],
      start: 'axolotl train tokens.yaml',
      beware: [
        'For a model with another tokenizer take the text.',
        'With a lower `sequence_len`, `excess_length_strategy: raise` stops; without that key Axolotl drops longer rows.',
        'Axolotl keeps what it has prepared under `dataset_prepared_path` and does not look at the data again: the name here changes with the rows.',
      ],
    }),
  }),
};

const comments = {
  dataset_prepared_path:
    'Axolotl takes what lies here for its rows without another look: the name changes with the data.',
  sequence_len: 'No row is longer, and one that were would stop the training: by default Axolotl drops it.',
  train_on_inputs: 'The labels say what is trained.',
  sample_packing: 'Packing mixes rows in one sequence; the masks hold either way.',
};

/** Complete configuration for `axolotl train` in the format's folder. `type` is null for rows of tokens. */
function configFile(
  folder: 'segments' | 'tokens',
  kind: { readonly ds_type: 'json' | 'parquet'; readonly type: 'input_output' | null },
  { training, dataset }: FormatSettings,
  written: WrittenFormat,
): TextFile {
  const datasetsOf = (split: Split) =>
    filesOfSplit(written, split, `axolotl/${folder}`).map((path) => ({ path: `${folder}/${path}`, ...kind }));
  const validation = datasetsOf('validation');
  const config = {
    base_model: training.model,
    datasets: datasetsOf('train'),
    ...(validation.length === 0
      ? { val_set_size: 0 }
      : { test_datasets: validation.map((dataset) => ({ ...dataset, split: 'train' })) }),
    dataset_prepared_path: `prepared/${folder}-${fingerprint(written)}`,
    sequence_len: dataset.cutoff_len,
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
  const what = `a ready configuration for \`${folder}/\`; set the model`;
  const name = `${folder}.yaml`;
  return { ...readyConfig(`axolotl/${name}`, `axolotl train ${name}`, config, comments), what };
}

/** Cache key that changes with the data. */
function fingerprint({ files }: WrittenFormat): string {
  const hash = createHash('sha256');
  for (const { path, sha256 } of files) hash.update(`${path} ${sha256}\n`);
  return hash.digest('hex').slice(0, 16);
}
