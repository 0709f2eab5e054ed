import { Field, Null } from 'apache-arrow';
import { rankedPair } from '../../../schemas/rows/preference.ts';
import { type DatasetFormat, maskedCapabilities } from '../datasetFormat.ts';
import { type LabelledPair, labelledPair, namesOf, pairColumns, valueColumn } from '../files/columns.ts';
import { jsonPart } from './formatParts.ts';
import { llamaFactoryConfig } from './llamaFactoryConfig.ts';
import { shareGptInfo } from './llamaFactoryFormat.ts';
import { savedFolderFiles, savedPart } from './tokenizedFormat.ts';

const saved = 'dpo/tokenized';

/**
 * Pair columns as in the output of LLaMA-Factory's own preprocessing; its collator requires three columns that are
 * empty for text.
 */
const columns = pairColumns<LabelledPair>(
  [],
  ['images', 'videos', 'audios'].map((name) =>
    valueColumn(Field.new({ name, type: new Null() }), () => null),
  ),
);

/**
 * `dpo/`: pairs for unmodified LLaMA-Factory: as ids and labels with masked observations on both sides, and as text in
 * its ranking layout, which trains whole answers.
 */
export const dpoFormat: DatasetFormat<'pair'> = {
  name: 'dpo',
  records: 'pair',
  columns: ['conversations', 'chosen', 'rejected', ...namesOf(columns)],
  readers: [],
  card: {
    opened: '`load_from_disk(FOLDER + "/dpo/tokenized")`',
    trainer: "LLaMA-Factory's DPO: pairs of a chosen and a rejected trajectory",
    mask: '`chosen_labels` and `rejected_labels`; nobody in the text rows, whose observations are trained',
  },
  capabilities: maskedCapabilities,
  layoutOf: (settings) => ({
    parts: [savedPart(labelledPair, columns, saved), jsonPart(rankedPair, 'dpo/')],
    guide: (written) => ({
      files: [
        ...savedFolderFiles(saved, written, columns),
        shareGptInfo(
          `${settings.name}-dpo`,
          'dpo',
          written.files.filter(({ path }) => path.endsWith('.jsonl')),
          { messages: 'conversations', chosen: 'chosen', rejected: 'rejected' },
        ),
        llamaFactoryConfig('dpo', settings, written, {
          dataset: 'unused',
          evalDataset: 'unused',
          tokenizedPairs: 'tokenized',
        }),
      ],
      start: 'llamafactory-cli train train.yaml',
      beware: [
        'Train on `tokenized/`: LLaMA-Factory has the whole of each side of the text rows in the loss, **observations included**.',
        'Set a model that is fine-tuned already.',
        'LLaMA-Factory ignores `cutoff_len` with `tokenized_path`, and would cut text rows.',
        'What `dataset.mask` leaves out is left out by the labels alone. Segments that a verdict marks are in the loss of both sides, for the pair says which side is worse.',
      ],
    }),
  }),
};
