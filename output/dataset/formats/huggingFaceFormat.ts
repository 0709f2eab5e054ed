import { trlReader } from '../../readers/trlReader.ts';
import { usesLossWeights } from '../../rows/segmentWeights.ts';
import {
  type DatasetFormat,
  type FormatLayout,
  type FormatPart,
  type FormatSettings,
  type WrittenFormat,
  weightedCapabilities,
} from '../datasetFormat.ts';
import { parquetRowFile } from '../files/columnFiles.ts';
import { labelledColumns, weightedColumns } from '../files/listColumns.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { shardName } from './splitFiles.ts';
import { trlConfig } from './trlConfig.ts';

/**
 * `hugging_face/`: ids and labels in parquet, for TRL and whatever else is built on the `Trainer` of transformers,
 * and a configuration for TRL. The trainers ignore loss weights, so these stand in a column of their own, for
 * people's own loss functions.
 */
export const huggingFaceFormat: DatasetFormat<'trajectory'> = {
  name: 'hugging_face',
  records: 'trajectory',
  columns: ['input_ids', 'attention_mask', 'labels'],
  readers: ['trl'],
  card: {
    opened: '`load_dataset(FOLDER + "/hugging_face/data")`',
    trainer: 'TRL, the Trainer of transformers',
    mask: '`labels`',
  },
  capabilities: weightedCapabilities,
  layoutOf: huggingFaceLayout,
};

function huggingFaceLayout(settings: FormatSettings): FormatLayout {
  const columns = usesLossWeights(settings.dataset.mask) ? weightedColumns : labelledColumns;
  const part: FormatPart = {
    rowOf: ({ inputIds, lossMask, weights }) => ({ inputIds, lossMask, weights }),
    begin: (file) => parquetRowFile(file, columns),
    pathOf: (place) => `hugging_face/data/${shardName(place.split, 'parquet', place)}`,
  };
  return {
    parts: [part],
    companions: (written) => [
      { path: 'hugging_face/sft.yaml', text: sftConfig(settings, written) },
      { path: 'hugging_face/README.md', text: huggingFaceReadme(settings, written) },
    ],
  };
}

const comments = {
  max_length: 'No row is longer than its model takes; the default of TRL would cut rows at 1024 tokens.',
  packing: 'Packing mixes rows in one sequence; the masks hold either way.',
};

function sftConfig({ training }: FormatSettings, { hasValidation }: WrittenFormat): string {
  return trlConfig({
    training,
    hasValidation,
    command: 'trl sft --config sft.yaml',
    own: { max_length: null, packing: false },
    learningRate: training.learning_rate,
    comments,
  });
}

/** `hugging_face/README.md`. */
function huggingFaceReadme(
  { dataset, tokenizer }: FormatSettings,
  { files, hasValidation }: WrittenFormat,
): string {
  const weighted = usesLossWeights(dataset.mask);
  const columns = `\`input_ids\`, \`attention_mask\`, \`labels\`${weighted ? ', `loss_weights`' : ''}`;
  return renderFormatReadme({
    title: 'Tokens and labels in parquet, for TRL and the Trainer of transformers',
    files: { ...rowsFileList(files, columns), 'sft.yaml': 'a ready configuration for TRL; set the model' },
    mask: '`labels` are it: the id where a token is in the loss, -100 elsewhere. No trainer needs to know what an observation is.',
    verified: `TRL ${trlReader.version}, unpatched: \`trl sft\` trains by this configuration, and the labels that reach the model are ours (\`test/trainers/trl.test.ts\`).`,
    start: `\`\`\`bash
trl sft --config sft.yaml
\`\`\`

In Python:

\`\`\`python
from datasets import load_dataset
splits = load_dataset("data")
train_dataset = splits["train"]${hasValidation ? '\nvalidation_dataset = splits["validation"]' : ''}
\`\`\``,
    beware: [
      `The ids are those of ${tokenizer}: train a model with this very tokenizer.`,
      `No row is longer than ${dataset.cutoff_len} tokens. TRL cuts at \`max_length\`, 1,024 by default: leave it null.`,
      'A collator of your own must pad `labels` with -100.',
      ...(weighted
        ? [
            '`loss_weights` has a weight for every token, 0 where `labels` is -100. TRL and the Trainer drop the column and train all labels alike: the weights are for a loss function of your own, sum(weight x loss) / sum(weight), shifted by one like the labels.',
          ]
        : []),
    ],
  });
}
