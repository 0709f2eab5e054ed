import { RecordFailure } from '../../../contract/errors.ts';
import type { Split } from '../../../schemas/manifest.ts';
import {
  type LlamaFactoryRow,
  llamaFactoryRowSchema,
  type ShareGptDatasetInfo,
} from '../../../schemas/trainers/llamaFactory.ts';
import { llamaFactoryReader } from '../../readers/llamaFactoryReader.ts';
import { type Piece, rowTurns } from '../../rows/rowPieces.ts';
import {
  type DatasetFormat,
  type FormatLayout,
  type FormatSettings,
  maskedCapabilities,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { jsonLinesFile } from '../files/jsonFiles.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { llamaFactoryConfig } from './llamaFactoryConfig.ts';
import { datasetNames, shardName } from './splitFiles.ts';

/** `llama_factory/`: text rows for stock LLaMA-Factory, their description and the configuration that trains on them. */
export const llamaFactoryFormat: DatasetFormat<'trajectory'> = {
  name: 'llama_factory',
  records: 'trajectory',
  columns: ['conversations'],
  readers: ['llama-factory'],
  card: {
    opened: '`load_dataset(FOLDER, "llama_factory")`',
    trainer: 'stock LLaMA-Factory, as text',
    mask: 'LLaMA-Factory, by turn (`template: empty`)',
  },
  // A turn is in the loss or not, and is encoded by itself: so are the stretches of a row that is encoded apart.
  capabilities: maskedCapabilities,
  layoutOf: llamaFactoryLayout,
};

function llamaFactoryLayout(settings: FormatSettings): FormatLayout {
  return {
    parts: [
      {
        rowOf: ({ pieces }) => JSON.stringify(llamaFactoryRow(pieces)),
        begin: jsonLinesFile,
        pathOf: (place) => `llama_factory/${shardName(place.split, 'jsonl', place)}`,
      },
    ],
    companions: (written) => [
      {
        path: 'llama_factory/dataset_info.json',
        text: shareGptInfo(settings.name, 'llama_factory', written, { messages: 'conversations' }),
      },
      { path: 'llama_factory/train.yaml', text: trainYaml(settings, written) },
      { path: 'llama_factory/README.md', text: llamaFactoryReadme(settings, written) },
    ],
  };
}

function trainYaml(
  { name, dataset, training }: FormatSettings,
  { files, hasValidation }: WrittenFormat,
): string {
  const namesOf = (split: Split) =>
    datasetNames(name, 'llama_factory', files, split).map((file) => file.name);
  return llamaFactoryConfig({
    heading: 'Run in this folder: llamafactory-cli train train.yaml',
    training,
    cutoffLen: dataset.cutoff_len,
    datasetDir: '.',
    dataset: namesOf('train').join(','),
    ...(hasValidation && { evalDataset: namesOf('validation').join(',') }),
    outputDir: 'output',
  });
}

/**
 * `dataset_info.json`: every file of a format by its name.
 *
 * @param columns those of a row
 */
export function shareGptInfo(
  dataset: string,
  folder: string,
  { files }: Pick<WrittenFormat, 'files'>,
  columns: ShareGptDatasetInfo[string]['columns'],
): string {
  const named = (['train', 'validation'] as const).flatMap((split) =>
    datasetNames(dataset, folder, files, split),
  );
  const info: ShareGptDatasetInfo = Object.fromEntries(
    named.map(({ name, fileName }) => [
      name,
      {
        file_name: fileName,
        formatting: 'sharegpt',
        ranking: columns.chosen !== undefined,
        split: 'train',
        columns,
        tags: {
          role_tag: 'from',
          content_tag: 'value',
          user_tag: 'human',
          assistant_tag: 'gpt',
          observation_tag: 'observation',
          function_tag: 'function_call',
          system_tag: 'system',
        },
      },
    ]),
  );
  return `${JSON.stringify(info, null, 2)}\n`;
}

/** What LLaMA-Factory (template.py, `_encode`) writes the turn's number for, once, in turns of `human` alone. */
const turnNumber = '{{idx}}';

/** Who speaks the beginning of a row: with `template: empty` both are written alike, and an observation stays as it is. */
export function promptRole(text: string): 'human' | 'observation' {
  return text.includes(turnNumber) ? 'observation' : 'human';
}

/**
 * A row in LLaMA-Factory's turns: what is trained as `gpt`, what is not as `human` at the beginning and `observation`
 * after it. A beginning in which LLaMA-Factory would replace words is an `observation` too.
 *
 * @throws RecordFailure when the row has no trained text after an untrained beginning
 */
export function llamaFactoryRow(pieces: readonly Piece[]): LlamaFactoryRow {
  const conversations = rowTurns(pieces).map(({ trained, text }, place) => ({
    from: trained ? 'gpt' : place === 0 ? promptRole(text) : 'observation',
    value: text,
  }));
  const parsed = llamaFactoryRowSchema.safeParse({ conversations });
  if (parsed.success) return parsed.data;
  throw new RecordFailure('internal', 'the turns do not alternate between the model and others', {
    turns: conversations.map((turn) => turn.from).join(' '),
  });
}

/** `llama_factory/README.md`. */
function llamaFactoryReadme(
  { dataset, tokenizer }: FormatSettings,
  { files, hasValidation }: WrittenFormat,
): string {
  return renderFormatReadme({
    title: 'Text rows for stock LLaMA-Factory',
    files: {
      ...rowsFileList(files, 'turns that carry the chat markup themselves'),
      'dataset_info.json': 'names them for LLaMA-Factory',
      'train.yaml': 'a ready configuration; set the model',
    },
    mask: 'LLaMA-Factory does, by turn: `gpt` turns are in the loss, `human` and `observation` turns are not. `template: empty` adds nothing to the texts. Each turn is encoded by itself, and the turns are cut so that their ids are those of the whole text.',
    verified: `LLaMA-Factory ${llamaFactoryReader.version}, unpatched. Its own preprocessing gives our ids and labels on every row of the quickstart dataset and on 500 generated rows (\`test/trainers/llamaFactoryPreprocessing.test.ts\`); training logs the very losses of \`tokenized/\`, and the first one is that of an independent forward pass (\`test/trainers/llamaFactory.test.ts\`). These tests use the tokenizer of Qwen2.5 and ChatML.`,
    start: `\`\`\`bash
llamafactory-cli train train.yaml
\`\`\``,
    beware: [
      `No row is longer than \`cutoff_len: ${dataset.cutoff_len}\` tokens of ${tokenizer}; a lower value cuts rows, and a model with another tokenizer makes other tokens.`,
      'Any other `template` writes the markup a second time.',
      'LLaMA-Factory drops a row whose turns do not alternate with no more than a warning; none of these does. Compare the number of rows after its preprocessing.',
      ...(hasValidation
        ? ['`eval_dataset` names the validation rows; `eval_strategy` says how often they are measured.']
        : []),
    ],
  });
}
