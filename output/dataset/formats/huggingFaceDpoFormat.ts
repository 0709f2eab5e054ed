import { trlReader } from '../../readers/trlReader.ts';
import {
  type DatasetFormat,
  type DatasetPair,
  type FormatSettings,
  maskedCapabilities,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { namesOf, textColumn } from '../files/columns.ts';
import { formatReadme, shellBlock } from '../formatReadme.ts';
import { parquetPart, programFile } from './formatParts.ts';
import { trlConfig } from './huggingFaceFormat.ts';
import { DPO_BETA, DPO_LEARNING_RATE } from './llamaFactoryConfig.ts';
import { type LabelledPair, labelledPair, pairColumns, pairTexts } from './pairs.ts';

interface WordedPair extends LabelledPair {
  readonly texts: ReturnType<typeof pairTexts>;
}

/** The columns of both sides behind their texts, in the layout of TRL's preference data. */
const columns = pairColumns<WordedPair>(
  (['prompt', 'chosen', 'rejected'] as const).map((name) => textColumn(name, ({ texts }) => texts[name])),
  [],
);

/**
 * `hugging_face_dpo/`: pairs in parquet in TRL's layout, with the ids and labels of both sides, and the program that
 * hands these to TRL's trainer: TRL alone trains whole answers.
 */
export const huggingFaceDpoFormat: DatasetFormat<'pair'> = {
  name: 'hugging_face_dpo',
  records: 'pair',
  columns: namesOf(columns),
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER + "/hugging_face_dpo/data")`',
    trainer: "TRL's DPO: pairs of a chosen and a rejected trajectory",
    mask: '`chosen_labels` and `rejected_labels`, by `train_dpo.py`',
  },
  capabilities: maskedCapabilities,
  layoutOf: (settings) => ({
    parts: [parquetPart(wordedPair, columns, 'hugging_face_dpo/data/')],
    // TRL's own `trl dpo` with a collator that takes ids and masks from the rows. TRL still reads `prompt`, `chosen` and
    // `rejected`; what it makes of them reaches no model.
    companions: (written) => [
      programFile('hugging_face_dpo', 'train_dpo.py'),
      { path: 'hugging_face_dpo/dpo.yaml', text: dpoConfig(settings, written) },
      formatReadme('hugging_face_dpo', readme, settings, written),
    ],
  }),
};

function wordedPair(pair: DatasetPair): WordedPair {
  return { ...labelledPair(pair), texts: pairTexts(pair) };
}

/** A complete configuration for the program beside it. */
function dpoConfig({ training }: FormatSettings, { hasValidation }: WrittenFormat): string {
  return trlConfig({
    training,
    hasValidation,
    command: 'python train_dpo.py --config dpo.yaml',
    own: { beta: DPO_BETA, max_length: null },
    learningRate: DPO_LEARNING_RATE,
    comments: {
      max_length: 'No side is longer than its model takes; the default of TRL would cut rows at 1024 tokens.',
    },
  });
}

const readme = {
  title: 'Pairs in parquet, for the DPO of TRL',
  rows: { '': '`prompt`, `chosen`, `rejected`, and ids and labels of both sides' },
  files: {
    'train_dpo.py': "starts TRL's trainer with a collator that reads the labels",
    'dpo.yaml': 'a ready configuration; set the model, which should be fine-tuned already',
  },
  mask: '`train_dpo.py`, by `chosen_labels` and `rejected_labels`. TRL alone (`trl dpo`) tokenises the texts and has all of both in the loss, **observations included**.',
  verified: `TRL ${trlReader.version}, unpatched: the batches that reach its loss have our ids and masks on both sides, and the first step logs the log-probabilities of an independent forward pass (\`test/trainers/preference.test.ts\`).`,
  start: shellBlock('python train_dpo.py --config dpo.yaml --model_name_or_path MODEL'),
  beware: [
    'Fine-tune the model on the other formats first.',
    'Another version of TRL may read other batches: the program stops at one that does.',
    'TRL tokenises the texts too when it starts; nothing of that reaches the model.',
    "TRL alone appends the tokenizer's end-of-sequence token to texts that end otherwise.",
  ],
};
