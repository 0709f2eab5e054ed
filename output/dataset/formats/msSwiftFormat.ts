import { UserError } from '../../../base/userError.ts';
import type { TrainingConfig } from '../../../schemas/config/training.ts';
import { renderYaml } from '../../quoting/renderYaml.ts';
import { msSwiftReader } from '../../readers/msSwiftReader.ts';
import type { DatasetFormat, FormatLayout, FormatSettings, WrittenFormat } from '../datasetFormat.ts';
import { jsonLinesFile } from '../files/jsonFiles.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { type MsSwiftTemplate, msSwiftPresets, msSwiftRow, msSwiftTemplate } from './msSwiftRow.ts';
import { filesOfSplit, shardName } from './splitFiles.ts';

/** `ms_swift/`: messages that say part by part what is in the loss, and a configuration. */
export const msSwiftFormat: DatasetFormat<'trajectory'> = {
  name: 'ms_swift',
  records: 'trajectory',
  columns: ['messages'],
  readers: ['ms-swift'],
  card: {
    opened: '`load_dataset("json", data_files=FOLDER + "/ms_swift/*.jsonl")`',
    trainer: 'ms-swift',
    mask: "ms-swift, by each message's `loss`",
  },
  capabilities: {
    untrainedModelText: true,
    lossWeights: false,
    // Its template ends every answer, and trains the end.
    cutRows: false,
    // It encodes each stretch that is trained, and each that is not, by itself, as straddling: apart does.
    segmentsApart: true,
    chatTemplates: msSwiftPresets,
  },
  layoutOf: msSwiftLayout,
};

/** @throws UserError where there is no system prompt */
function msSwiftLayout(settings: FormatSettings): FormatLayout {
  const { dataset, training } = settings;
  const template = msSwiftTemplate(dataset.chat_template);
  if (template === undefined) throw new Error(`ms_swift was chosen for ${dataset.chat_template}`);
  if (dataset.system_prompt === '')
    throw new UserError(
      'dataset.formats: ms_swift needs a dataset.system_prompt, without one its templates write another prompt: set one, or leave ms_swift out',
    );
  return {
    parts: [
      {
        rowOf: ({ pieces }) => JSON.stringify(msSwiftRow(pieces, template)),
        begin: jsonLinesFile,
        pathOf: (place) => `ms_swift/${shardName(place.split, 'jsonl', place)}`,
      },
    ],
    companions: (written) => [
      {
        path: 'ms_swift/sft.yaml',
        text: msSwiftConfig({
          training,
          cutoffLen: dataset.cutoff_len,
          template: template.name,
          train: filesOfSplit(written, 'train', 'ms_swift'),
          validation: filesOfSplit(written, 'validation', 'ms_swift'),
        }),
      },
      { path: 'ms_swift/README.md', text: msSwiftReadme(settings, written, template) },
    ],
  };
}

/** What an ms-swift configuration is made from. Paths start at the folder in which `swift` is started. */
interface MsSwiftOptions {
  readonly training: TrainingConfig;
  readonly cutoffLen: number;
  /** ms-swift's name of the chat template. */
  readonly template: string;
  readonly train: readonly string[];
  /** Empty without a validation split. */
  readonly validation: readonly string[];
}

const comments = {
  template: "Writes the very text of the rows; the model's own default may differ.",
  loss_scale: 'Each part of the assistant says itself whether it is in the loss.',
  max_length: 'No row is longer.',
  strict: 'A row that does not fit stops the training; otherwise ms-swift leaves it out.',
};

/** A complete configuration: `swift sft FILE`. */
function msSwiftConfig(options: MsSwiftOptions): string {
  const { training } = options;
  const config = {
    model: training.model,
    tuner_type: 'full',
    template: options.template,
    dataset: options.train,
    ...(options.validation.length === 0 ? {} : { val_dataset: options.validation }),
    split_dataset_ratio: 0,
    load_from_cache_file: false,
    loss_scale: 'default',
    max_length: options.cutoffLen,
    truncation_strategy: 'delete',
    strict: true,
    output_dir: 'output',
    num_train_epochs: training.epochs,
    per_device_train_batch_size: training.per_device_batch_size,
    gradient_accumulation_steps: training.gradient_accumulation_steps,
    learning_rate: training.learning_rate,
    lr_scheduler_type: training.lr_scheduler,
    warmup_ratio: training.warmup_ratio,
    torch_dtype: 'bfloat16',
    gradient_checkpointing: true,
    logging_steps: 1,
    save_strategy: 'epoch',
    report_to: 'none',
    seed: training.seed,
  };
  return `# Run in this folder: swift sft sft.yaml\n${renderYaml(config, comments)}`;
}

/** `ms_swift/README.md`. */
function msSwiftReadme(
  { dataset }: FormatSettings,
  { files }: WrittenFormat,
  template: MsSwiftTemplate,
): string {
  return renderFormatReadme({
    title: 'Messages for ms-swift',
    files: {
      ...rowsFileList(files, '`messages`; those of the assistant say in `loss` whether they are trained'),
      'sft.yaml': 'a ready configuration; set the model',
    },
    mask: `ms-swift does, by \`loss\`: it joins the messages of the assistant to one turn, and trains those with \`loss: true\`. Its template \`${template.name}\` writes the markup around them and trains the end of the turn.`,
    verified: `ms-swift ${msSwiftReader.version}, unpatched: its own loading, encoding and collator give our ids and labels on every row of the quickstart dataset and on 500 generated rows (\`test/trainers/msSwift.test.ts\`). Its training is not run by the tests.`,
    start: `\`\`\`bash
swift sft sft.yaml
\`\`\``,
    beware: [
      `Another \`template\` writes another text; ms-swift's own choice for a model may add a thought or a system prompt.`,
      `No row is longer than \`max_length: ${dataset.cutoff_len}\`. Without \`strict: true\` ms-swift leaves out rows that are too long or that it can't encode, with no more than a line in its log.`,
      'Its `loss_scale` of a message is no loss weight as ours are: it divides by the number of trained tokens, not by the sum of their weights.',
    ],
  });
}
