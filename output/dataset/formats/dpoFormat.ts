import type { LlamaFactoryPair } from '../../../schemas/trainers/llamaFactory.ts';
import { llamaFactoryReader } from '../../readers/llamaFactoryReader.ts';
import {
  type DatasetFormat,
  type DatasetPair,
  type FormatLayout,
  type FormatPart,
  type FormatSettings,
  maskedCapabilities,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { arrowStreamFile } from '../files/columnFiles.ts';
import { jsonLinesFile } from '../files/jsonFiles.ts';
import { type LabelledPair, labelledPair, llamaFactoryPairColumns, pairTexts } from '../files/pairColumns.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { llamaFactoryConfig } from './llamaFactoryConfig.ts';
import { promptRole, shareGptInfo } from './llamaFactoryFormat.ts';
import { savedFolderFiles, savedFolderPath, sequenceOf } from './savedFolder.ts';
import { shardName } from './splitFiles.ts';

/**
 * `dpo/`: pairs for stock LLaMA-Factory, as ids and labels, in which the observations of both sides are masked, and as
 * text in its ranking layout, whose answers are trained as a whole.
 */
export const dpoFormat: DatasetFormat<'pair'> = {
  name: 'dpo',
  records: 'pair',
  columns: [
    'conversations',
    'chosen',
    'rejected',
    ...llamaFactoryPairColumns.schema.fields.map(({ name }) => name),
  ],
  readers: [],
  card: {
    opened: '`load_from_disk(FOLDER + "/dpo/tokenized")`',
    trainer: "LLaMA-Factory's DPO: pairs of a chosen and a rejected trajectory",
    mask: '`chosen_labels` and `rejected_labels`; nobody in the text rows, whose observations are trained',
  },
  capabilities: maskedCapabilities,
  layoutOf: dpoLayout,
};

const savedFolder = 'dpo/tokenized';

const tokenizedPart: FormatPart<LabelledPair, DatasetPair> = {
  rowOf: labelledPair,
  begin: (file) => arrowStreamFile(file, llamaFactoryPairColumns),
  pathOf: (place) => savedFolderPath(savedFolder, place),
};

const textPart: FormatPart<string, DatasetPair> = {
  rowOf: (pair) => JSON.stringify(llamaFactoryPair(pair)),
  begin: jsonLinesFile,
  pathOf: (place) => `dpo/${shardName(place.split, 'jsonl', place)}`,
};

function dpoLayout(settings: FormatSettings): FormatLayout<DatasetPair> {
  return {
    parts: [tokenizedPart, textPart],
    companions: (written) => [
      ...savedFolderFiles(savedFolder, written, info),
      { path: 'dpo/dataset_info.json', text: textInfo(settings, written) },
      { path: 'dpo/train.yaml', text: trainYaml(settings, written) },
      { path: 'dpo/README.md', text: dpoReadme(settings, written) },
    ],
  };
}

/** The empty columns are of no type, as in what LLaMA-Factory itself saves. */
const empty = { dtype: 'null', _type: 'Value' } as const;

const info = {
  features: {
    chosen_input_ids: sequenceOf('int32'),
    chosen_attention_mask: sequenceOf('int8'),
    chosen_labels: sequenceOf('int64'),
    rejected_input_ids: sequenceOf('int32'),
    rejected_attention_mask: sequenceOf('int8'),
    rejected_labels: sequenceOf('int64'),
    images: empty,
    videos: empty,
    audios: empty,
  },
};

function textInfo({ name }: FormatSettings, { files }: WrittenFormat): string {
  const texts = files.filter(({ path }) => path.endsWith('.jsonl'));
  const columns = { messages: 'conversations', chosen: 'chosen', rejected: 'rejected' } as const;
  return shareGptInfo(`${name}-dpo`, 'dpo', { files: texts }, columns);
}

/** A pair in LLaMA-Factory's ranking layout. */
function llamaFactoryPair(pair: DatasetPair): LlamaFactoryPair {
  const { prompt, chosen, rejected } = pairTexts(pair);
  return {
    conversations: [{ from: promptRole(prompt), value: prompt }],
    chosen: { from: 'gpt', value: chosen },
    rejected: { from: 'gpt', value: rejected },
  };
}

function trainYaml({ dataset, training }: FormatSettings, { hasValidation }: WrittenFormat): string {
  return llamaFactoryConfig({
    heading: 'Run in this folder: llamafactory-cli train train.yaml',
    training,
    cutoffLen: dataset.cutoff_len,
    datasetDir: '.',
    dataset: 'unused',
    ...(hasValidation && { evalDataset: 'unused' }),
    tokenizedPairs: 'tokenized',
    outputDir: 'output',
  });
}

/** `dpo/README.md`. */
function dpoReadme({ name, dataset, tokenizer }: FormatSettings, { files }: WrittenFormat): string {
  const arrow = files.filter(({ path }) => path.endsWith('.arrow'));
  const texts = files.filter(({ path }) => path.endsWith('.jsonl'));
  return renderFormatReadme({
    title: "Pairs for LLaMA-Factory's DPO",
    files: {
      ...rowsFileList(arrow, 'ids and labels of both sides'),
      ...rowsFileList(texts, 'the same pairs as text, in the ranking layout'),
      'dataset_info.json': 'names the text rows for LLaMA-Factory (`ranking: true`)',
      'train.yaml':
        'a ready configuration for `tokenized/`; set the model, which should be fine-tuned already',
    },
    mask: 'In `tokenized/` the labels do, on both sides: -100 for the prompt and for what tools returned. LLaMA-Factory has no place for that in its ranking layout: each side is one assistant message, and all of it is in the loss, **observations included**. Train on `tokenized/`; the text rows are for reading, for another tokenizer, and for pairs without tools.',
    verified: `LLaMA-Factory ${llamaFactoryReader.version}, unpatched. From \`tokenized/\` its own loader and pairwise collator hand our ids and labels of both sides to the model, and the first step logs the log-probabilities of an independent forward pass over them. From the text rows its own preprocessing gives our ids, and labels that are ours but for the observations, which it trains (\`test/trainers/preference.test.ts\`).`,
    start: `\`\`\`bash
llamafactory-cli train train.yaml
\`\`\`

With the text rows: \`dataset: ${name}-dpo\`, \`template: empty\`, no \`tokenized_path\`.`,
    beware: [
      `The ids are those of ${tokenizer}: train a model with this very tokenizer, fine-tuned on the other formats first.`,
      `No side is longer than \`cutoff_len: ${dataset.cutoff_len}\` tokens. LLaMA-Factory ignores \`cutoff_len\` with \`tokenized_path\`, and would cut text rows.`,
      'What `dataset.mask` leaves out is left out by the labels alone. Segments that a verdict marks are in the loss on both sides, for the pair says which side is worse.',
    ],
  });
}
