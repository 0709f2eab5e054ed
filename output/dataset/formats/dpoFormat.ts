import type { LlamaFactoryPair } from '../../../schemas/trainers/llamaFactory.ts';
import { llamaFactoryReader } from '../../readers/llamaFactoryReader.ts';
import {
  type DatasetFormat,
  type DatasetPair,
  type FormatSettings,
  maskedCapabilities,
} from '../datasetFormat.ts';
import { emptyColumn, namesOf } from '../files/columns.ts';
import { formatReadme, shellBlock } from '../formatReadme.ts';
import { jsonPart } from './formatParts.ts';
import { llamaFactoryConfig } from './llamaFactoryConfig.ts';
import { promptRole, shareGptInfo } from './llamaFactoryFormat.ts';
import { type LabelledPair, labelledPair, pairColumns, pairTexts } from './pairs.ts';
import { savedFolderFiles, savedPart } from './tokenizedFormat.ts';

const saved = 'dpo/tokenized';

/** As LLaMA-Factory's own preprocessing leaves pairs; its collator asks for three columns that are empty in text. */
const columns = pairColumns<LabelledPair>([], ['images', 'videos', 'audios'].map(emptyColumn));

/**
 * `dpo/`: pairs for stock LLaMA-Factory, as ids and labels, in which the observations of both sides are masked, and as
 * text in its ranking layout, whose answers are trained as a whole.
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
    parts: [savedPart(labelledPair, columns, saved), jsonPart(llamaFactoryPair, 'dpo/')],
    companions: (written) => [
      ...savedFolderFiles(saved, written, columns),
      {
        path: 'dpo/dataset_info.json',
        text: shareGptInfo(
          `${settings.name}-dpo`,
          'dpo',
          written.files.filter(({ path }) => path.endsWith('.jsonl')),
          { messages: 'conversations', chosen: 'chosen', rejected: 'rejected' },
        ),
      },
      {
        path: 'dpo/train.yaml',
        text: llamaFactoryConfig({
          training: settings.training,
          cutoffLen: settings.dataset.cutoff_len,
          dataset: 'unused',
          ...(written.hasValidation && { evalDataset: 'unused' }),
          tokenizedPairs: 'tokenized',
        }),
      },
      formatReadme('dpo', readmeOf(settings), settings, written),
    ],
  }),
};

/** A pair in LLaMA-Factory's ranking layout. */
function llamaFactoryPair(pair: DatasetPair): LlamaFactoryPair {
  const { prompt, chosen, rejected } = pairTexts(pair);
  return {
    conversations: [{ from: promptRole(prompt), value: prompt }],
    chosen: { from: 'gpt', value: chosen },
    rejected: { from: 'gpt', value: rejected },
  };
}

function readmeOf({ name }: FormatSettings) {
  return {
    title: "Pairs for LLaMA-Factory's DPO",
    rows: {
      'tokenized/': 'ids and labels of both sides',
      '': 'the same pairs as text, in the ranking layout',
    },
    files: {
      'dataset_info.json': 'names the text rows for LLaMA-Factory (`ranking: true`)',
      'train.yaml':
        'a ready configuration for `tokenized/`; set the model, which should be fine-tuned already',
    },
    mask: 'In `tokenized/` the labels of both sides: -100 for the prompt and for what tools returned. In the ranking layout nobody: each side is in the loss as a whole, **observations included**. Train on `tokenized/`.',
    verified: `LLaMA-Factory ${llamaFactoryReader.version}, unpatched, hands our ids and labels of both sides to the model, and logs the log-probabilities of an independent forward pass (\`test/trainers/preference.test.ts\`).`,
    start: `${shellBlock('llamafactory-cli train train.yaml')}

With the text rows: \`dataset: ${name}-dpo\`, \`template: empty\`, no \`tokenized_path\`.`,
    beware: [
      'Fine-tune the model on the other formats first.',
      'LLaMA-Factory ignores `cutoff_len` with `tokenized_path`, and would cut text rows.',
      'What `dataset.mask` leaves out is left out by the labels alone. Segments that a verdict marks are in the loss of both sides, for the pair says which side is worse.',
    ],
  };
}
