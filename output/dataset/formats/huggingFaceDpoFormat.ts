import { pairTexts } from '../../../schemas/rows/preference.ts';
import {
  type DatasetFormat,
  type DatasetPair,
  type FormatSettings,
  maskedCapabilities,
  type TextFile,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { type LabelledPair, labelledPair, namesOf, pairColumns, textColumn } from '../files/columns.ts';
import { parquetPart, programFile } from './formatParts.ts';
import { trlKeys } from './huggingFaceFormat.ts';
import { DPO_BETA, DPO_LEARNING_RATE } from './llamaFactoryConfig.ts';
import { readyConfig } from './readyConfig.ts';

interface WordedPair extends LabelledPair {
  readonly texts: ReturnType<typeof pairTexts>;
}

/** Columns of both sides after their texts, in TRL's preference layout. */
const columns = pairColumns<WordedPair>(
  (['prompt', 'chosen', 'rejected'] as const).map((name) => textColumn(name, ({ texts }) => texts[name])),
  [],
);

/**
 * `hugging_face_dpo/`: pairs as parquet in TRL's layout with ids and labels of both sides, and a program that passes
 * these to TRL's trainer; without it, TRL trains whole answers.
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
    guide: (written) => ({
      files: [
        // Runs TRL's own `trl dpo` with a collator that takes ids and masks from the rows. TRL still reads `prompt`,
        // `chosen` and `rejected`, but its own encoding of them reaches no model.
        programFile(
          'hugging_face_dpo',
          'train_dpo.py',
          "starts TRL's trainer with a collator that reads the labels",
        ),
        dpoConfig(settings, written),
      ],
      start: 'python train_dpo.py --config dpo.yaml --model_name_or_path MODEL',
      beware: [
        'TRL alone (`trl dpo`) tokenises the texts and has all of both in the loss, **observations included**.',
        'Set a model that is fine-tuned already.',
        'Another version of TRL may read other batches: the program stops at one that does.',
        "TRL alone appends the tokenizer's end-of-sequence token to texts that end otherwise.",
      ],
    }),
  }),
};

function wordedPair(pair: DatasetPair): WordedPair {
  return { ...labelledPair(pair), texts: pairTexts(pair) };
}

function dpoConfig({ training }: FormatSettings, { hasValidation }: WrittenFormat): TextFile {
  const own = { beta: DPO_BETA, max_length: null };
  const config = trlKeys({ ...training, learning_rate: DPO_LEARNING_RATE }, hasValidation, own);
  return readyConfig('hugging_face_dpo/dpo.yaml', 'python train_dpo.py --config dpo.yaml', config, {
    max_length: 'No side is longer than its model takes; the default of TRL would cut rows at 1024 tokens.',
  });
}
