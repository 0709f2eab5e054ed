import { UserError } from '../../../base/userError.ts';
import {
  type MsSwiftTemplate,
  msSwiftPresets,
  msSwiftRow,
  msSwiftTemplate,
} from '../../../schemas/rows/msSwift.ts';
import type { DatasetFormat, DatasetRow, FormatSettings, TextFile, WrittenFormat } from '../datasetFormat.ts';
import { filesOfSplit, jsonPart, writtenRow } from './formatParts.ts';
import { trainingArguments } from './huggingFaceFormat.ts';
import { readyConfig } from './readyConfig.ts';

/** `ms_swift/`: messages with a loss flag per part, and a configuration. */
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
    // Its template ends every answer and trains the end.
    cutRows: false,
    // ms-swift encodes trained and untrained stretches separately, as with `boundary_tokens: apart`.
    segmentsApart: true,
    chatTemplates: msSwiftPresets,
    mixedRows: false,
  },
  /** @throws UserError without a system prompt */
  layoutOf(settings) {
    const { chat_template, system_prompt } = settings.dataset;
    const template = msSwiftTemplate(chat_template);
    if (template === undefined) throw new Error(`ms_swift was chosen for ${chat_template}`);
    if (system_prompt === '')
      throw new UserError(
        'dataset.formats: ms_swift needs a dataset.system_prompt, without one its templates write another prompt: set one, or leave ms_swift out',
      );
    return {
      parts: [jsonPart(({ pieces }: DatasetRow) => writtenRow(msSwiftRow(pieces, template)), 'ms_swift/')],
      guide: (written) => ({
        files: [msSwiftConfig(settings, written, template)],
        start: 'swift sft sft.yaml',
        beware: [
          "Another `template` writes another text; ms-swift's own choice for a model may add a thought or a system prompt.",
          "Without `strict: true` ms-swift leaves out rows that are too long or that it can't encode, with no more than a line in its log.",
          'Its `loss_scale` of a message is not a loss weight as ours are: it divides by the number of trained tokens, not by the sum of their weights.',
        ],
      }),
    };
  },
};

const comments = {
  template: "Writes the very text of the rows; the model's own default may differ.",
  loss_scale: 'Each part of the assistant says itself whether it is in the loss.',
  max_length: 'No row is longer.',
  strict: 'A row that does not fit stops the training; otherwise ms-swift leaves it out.',
};

/** Complete configuration: `swift sft FILE` in the format's folder. */
function msSwiftConfig(
  { training, dataset }: FormatSettings,
  written: WrittenFormat,
  template: MsSwiftTemplate,
): TextFile {
  const config = {
    model: training.model,
    tuner_type: 'full',
    template: template.name,
    dataset: filesOfSplit(written, 'train', 'ms_swift'),
    ...(written.hasValidation && { val_dataset: filesOfSplit(written, 'validation', 'ms_swift') }),
    split_dataset_ratio: 0,
    load_from_cache_file: false,
    loss_scale: 'default',
    max_length: dataset.cutoff_len,
    truncation_strategy: 'delete',
    strict: true,
    ...trainingArguments(training, { torch_dtype: 'bfloat16' }),
  };
  return readyConfig('ms_swift/sft.yaml', 'swift sft sft.yaml', config, comments);
}
