import type { SavedDatasetInfo } from '../../../schemas/trainers/huggingFace.ts';
import { llamaFactoryReader } from '../../readers/llamaFactoryReader.ts';
import { trlReader } from '../../readers/trlReader.ts';
import type { TokenisedRow } from '../../rows/tokeniseRow.ts';
import {
  type DatasetFormat,
  type FormatLayout,
  type FormatPart,
  type FormatSettings,
  maskedCapabilities,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { arrowStreamFile } from '../files/columnFiles.ts';
import { labelledColumns } from '../files/listColumns.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { savedFolderFiles, savedFolderPath, sequenceOf } from './savedFolder.ts';

/**
 * `tokenized/`: a folder as `datasets.save_to_disk` leaves it, of a `DatasetDict` when there is a validation split,
 * of a `Dataset` when there is none.
 */
export const tokenizedFormat: DatasetFormat<'trajectory'> = {
  name: 'tokenized',
  records: 'trajectory',
  columns: ['input_ids', 'attention_mask', 'labels'],
  readers: ['llama-factory', 'trl'],
  card: {
    opened: '`load_from_disk(FOLDER + "/tokenized")`',
    trainer: "LLaMA-Factory's `tokenized_path`, TRL",
    mask: '`labels`, -100 where not trained',
  },
  capabilities: maskedCapabilities,
  layoutOf: tokenizedLayout,
};

const folder = 'tokenized';

const part: FormatPart<Pick<TokenisedRow, 'inputIds' | 'lossMask'>> = {
  rowOf: ({ inputIds, lossMask }) => ({ inputIds, lossMask }),
  begin: (file) => arrowStreamFile(file, labelledColumns),
  pathOf: (place) => savedFolderPath(folder, place),
};

function tokenizedLayout(settings: FormatSettings): FormatLayout {
  return {
    parts: [part],
    companions: (written) => [
      ...savedFolderFiles(folder, written, info),
      { path: 'tokenized/README.md', text: tokenizedReadme(settings, written) },
    ],
  };
}

const info: SavedDatasetInfo = {
  features: {
    input_ids: sequenceOf('int32'),
    attention_mask: sequenceOf('int8'),
    labels: sequenceOf('int64'),
  },
};

/** `tokenized/README.md`. */
function tokenizedReadme(
  { dataset, tokenizer }: FormatSettings,
  { files, hasValidation }: WrittenFormat,
): string {
  const data = hasValidation ? 'splits["train"]' : 'splits';
  return renderFormatReadme({
    title: 'Tokens and labels',
    files: {
      ...rowsFileList(files, '`input_ids`, `attention_mask`, `labels`'),
      ...(hasValidation ? { 'dataset_dict.json': 'names the splits' } : {}),
    },
    mask: '`labels` are it: the id where a token is in the loss, -100 elsewhere. No trainer needs to know what an observation is.',
    verified: `Stock LLaMA-Factory ${llamaFactoryReader.version} by \`tokenized_path\`, and TRL ${trlReader.version}: what reaches the model equals our labels, and the first loss is that of an independent forward pass (\`test/trainers/llamaFactory.test.ts\`, \`test/trainers/trl.test.ts\`).`,
    start: `Stock LLaMA-Factory, in its configuration:

\`\`\`yaml
tokenized_path: .
dataset: unused
${hasValidation ? 'eval_dataset: unused\n' : ''}\`\`\`

\`coa-distill train RUN\` renders the whole job. In Python, for TRL and others:

\`\`\`python
from datasets import load_from_disk
splits = load_from_disk(".")
train_dataset = ${data}
\`\`\``,
    beware: [
      `The ids are those of ${tokenizer}: train a model with this very tokenizer.`,
      `No row is longer than ${dataset.cutoff_len} tokens. TRL cuts at \`max_length\`, 1,024 by default: give it \`max_length=None\`.`,
      'LLaMA-Factory ignores `cutoff_len` here, and asks for `dataset` without reading it.',
    ],
  });
}
