import { createHash } from 'node:crypto';
import type { TrainingConfig } from '../../../schemas/config/training.ts';
import type { AxolotlSegmentsRow } from '../../../schemas/trainers/axolotl.ts';
import { renderYaml } from '../../quoting/renderYaml.ts';
import { axolotlReader } from '../../readers/axolotlReader.ts';
import { type Piece, rowTurns } from '../../rows/rowPieces.ts';
import {
  type DatasetFormat,
  type FormatLayout,
  type FormatPart,
  type FormatSettings,
  maskedCapabilities,
  type TextFile,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { parquetRowFile } from '../files/columnFiles.ts';
import { jsonLinesFile } from '../files/jsonFiles.ts';
import { labelledColumns } from '../files/listColumns.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { filesOfSplit, shardName } from './splitFiles.ts';

/** `axolotl/`: text in segments, the same rows as tokens, and a configuration for each. */
export const axolotlFormat: DatasetFormat<'trajectory'> = {
  name: 'axolotl',
  records: 'trajectory',
  columns: ['segments', 'input_ids', 'attention_mask', 'labels'],
  readers: ['axolotl'],
  card: {
    opened: '`load_dataset("json", data_files=FOLDER + "/axolotl/segments/*.jsonl")`',
    trainer: 'Axolotl, on text or on tokens',
    mask: '`label` of each segment, `labels` of the tokens',
  },
  // It encodes each stretch that is trained, and each that is not, by itself, as straddling: apart does.
  capabilities: maskedCapabilities,
  layoutOf: axolotlLayout,
};

const segmentsPart: FormatPart = {
  rowOf: ({ pieces }) => JSON.stringify(axolotlRow(pieces)),
  begin: jsonLinesFile,
  pathOf: (place) => `axolotl/segments/${shardName(place.split, 'jsonl', place)}`,
};

const tokensPart: FormatPart = {
  rowOf: ({ inputIds, lossMask }) => ({ inputIds, lossMask }),
  begin: (file) => parquetRowFile(file, labelledColumns),
  pathOf: (place) => `axolotl/tokens/${shardName(place.split, 'parquet', place)}`,
};

function axolotlLayout(settings: FormatSettings): FormatLayout {
  return {
    parts: [segmentsPart, tokensPart],
    companions: (written) => [
      configFile('segments', { ds_type: 'json', type: 'input_output' }, settings, written),
      configFile('tokens', { ds_type: 'parquet', type: null }, settings, written),
      { path: 'axolotl/README.md', text: axolotlReadme(settings, written) },
    ],
  };
}

function configFile(
  folder: 'segments' | 'tokens',
  kind: Omit<AxolotlDataset, 'path'>,
  { training, dataset }: FormatSettings,
  written: WrittenFormat,
): TextFile {
  const datasetsOf = (split: 'train' | 'validation'): AxolotlDataset[] =>
    filesOfSplit(written, split, `axolotl/${folder}`).map((path) => ({ path: `${folder}/${path}`, ...kind }));
  const text = axolotlConfig({
    training,
    cutoffLen: dataset.cutoff_len,
    train: datasetsOf('train'),
    validation: datasetsOf('validation'),
    preparedPath: `prepared/${folder}-${fingerprint(written)}`,
    heading: `Run in this folder: axolotl train ${folder}.yaml`,
  });
  return { path: `axolotl/${folder}.yaml`, text };
}

/** Other data has another one. */
function fingerprint({ files }: WrittenFormat): string {
  const hash = createHash('sha256');
  for (const { path, sha256 } of files) hash.update(`${path} ${sha256}\n`);
  return hash.digest('hex').slice(0, 16);
}

/** A row in Axolotl's segments, each of which it encodes by itself and trains or not. */
function axolotlRow(pieces: readonly Piece[]): AxolotlSegmentsRow {
  return { segments: rowTurns(pieces).map(({ trained, text }) => ({ label: trained, text })) };
}

/** `axolotl/README.md`. */
function axolotlReadme({ dataset, tokenizer }: FormatSettings, { files }: WrittenFormat): string {
  const filesIn = (folder: string) => files.filter(({ path }) => path.startsWith(`axolotl/${folder}/`));
  return renderFormatReadme({
    title: 'Rows for Axolotl, as text and as tokens',
    files: {
      ...rowsFileList(filesIn('segments'), '`segments`, a list of `label` and `text`'),
      ...rowsFileList(filesIn('tokens'), '`input_ids`, `attention_mask`, `labels`'),
      'segments.yaml': 'a ready configuration for the text; set the model',
      'tokens.yaml': 'the same for the tokens',
    },
    mask: 'On the text Axolotl does, by `type: input_output`: it encodes each segment by itself, adds nothing, and trains those with the label true. The tokens carry their labels: the id where it is in the loss, -100 elsewhere.',
    verified: `Axolotl ${axolotlReader.version}, unpatched: its own preprocessing of either form gives our ids and labels on every row of the quickstart dataset and on 500 generated rows (\`test/trainers/axolotl.test.ts\`). Its training is not run by the tests.`,
    start: `\`\`\`bash
axolotl train tokens.yaml
\`\`\``,
    beware: [
      `The ids are those of ${tokenizer}: train a model with this very tokenizer. With another one take the text.`,
      `\`sequence_len\` is ${dataset.cutoff_len}, and no row is longer. With a lower one \`excess_length_strategy: raise\` stops; without that key Axolotl drops longer rows.`,
      'Axolotl keeps what it has prepared under `dataset_prepared_path` and does not look at the data again: the name here changes with the rows.',
    ],
  });
}

/** A file of rows as Axolotl is told of it. Paths start at the folder in which Axolotl is started. */
interface AxolotlDataset {
  readonly path: string;
  readonly ds_type: 'json' | 'parquet';
  /** `input_output` for segments; null for rows that are tokens already. */
  readonly type: 'input_output' | null;
}

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
function axolotlConfig(options: AxolotlOptions): string {
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
