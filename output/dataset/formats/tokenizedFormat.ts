import { createHash } from 'node:crypto';
import type { Split } from '../../../schemas/manifest.ts';
import type {
  SavedDatasetDict,
  SavedDatasetInfo,
  SavedDatasetState,
} from '../../../schemas/trainers/huggingFace.ts';
import { llamaFactoryReader } from '../../readers/llamaFactoryReader.ts';
import { trlReader } from '../../readers/trlReader.ts';
import type { TokenisedRow } from '../../rows/tokeniseRow.ts';
import type {
  DatasetFormat,
  FilePlace,
  FormatLayout,
  FormatPart,
  FormatSettings,
  RowsFile,
  TextFile,
  WrittenFormat,
} from '../datasetFormat.ts';
import { arrowStreamFile } from '../files/columnFiles.ts';
import { labelledColumns } from '../files/listColumns.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { shardNumber } from './splitFiles.ts';

/**
 * `tokenized/`: a folder as `datasets.save_to_disk` leaves it, of a `DatasetDict` when there is a validation split,
 * of a `Dataset` when there is none.
 */
export const tokenizedFormat: DatasetFormat = {
  name: 'tokenized',
  records: 'trajectory',
  columns: ['input_ids', 'attention_mask', 'labels'],
  readers: ['llama-factory', 'trl'],
  card: {
    opened: '`load_from_disk(FOLDER + "/tokenized")`',
    trainer: "LLaMA-Factory's `tokenized_path`, TRL",
    mask: '`labels`, -100 where not trained',
  },
  capabilities: {
    untrainedModelText: true,
    lossWeights: false,
    cutRows: true,
    segmentsApart: true,
    chatTemplates: 'any',
  },
  layoutOf: tokenizedLayout,
};

const part: FormatPart<Pick<TokenisedRow, 'inputIds' | 'lossMask'>> = {
  rowOf: ({ inputIds, lossMask }) => ({ inputIds, lossMask }),
  begin: (file) => arrowStreamFile(file, labelledColumns),
  pathOf: (place) => `${folderOf(place.split, place)}/${dataFile(place)}`,
};

function tokenizedLayout(settings: FormatSettings): FormatLayout {
  return {
    parts: [part],
    companions: (written) => [
      ...(written.hasValidation ? dictFiles(written) : descriptions('train', written)),
      { path: 'tokenized/README.md', text: tokenizedReadme(settings, written) },
    ],
  };
}

function dictFiles(written: WrittenFormat): readonly TextFile[] {
  return [
    { path: 'tokenized/dataset_dict.json', text: `${JSON.stringify(dict)}\n` },
    ...dict.splits.flatMap((split) => descriptions(split, written)),
  ];
}

const dict: SavedDatasetDict = { splits: ['train', 'validation'] };

function folderOf(split: Split, { hasValidation }: Pick<FilePlace, 'hasValidation'>): string {
  return hasValidation ? `tokenized/${split}` : 'tokenized';
}

/** As `datasets` names them: numbered even where there is one. */
function dataFile({ shard, shards }: FilePlace): string {
  return `data-${shardNumber(shard)}-of-${shardNumber(shards)}.arrow`;
}

function descriptions(split: Split, written: WrittenFormat): readonly TextFile[] {
  const folder = folderOf(split, written);
  const files = written.files.filter((file) => file.split === split);
  return [
    { path: `${folder}/dataset_info.json`, text: `${JSON.stringify(info)}\n` },
    { path: `${folder}/state.json`, text: `${JSON.stringify(state(split, files))}\n` },
  ];
}

const sequenceOf = <D extends string>(dtype: D) =>
  ({ feature: { dtype, _type: 'Value' }, _type: 'Sequence' }) as const;

const info: SavedDatasetInfo = {
  features: {
    input_ids: sequenceOf('int32'),
    attention_mask: sequenceOf('int8'),
    labels: sequenceOf('int64'),
  },
};

/** The fingerprint keys the caches of `datasets`: other data must have another. */
function state(split: Split, files: readonly RowsFile[]): SavedDatasetState {
  return {
    _data_files: files.map(({ path }) => ({ filename: path.slice(path.lastIndexOf('/') + 1) })),
    _fingerprint: fingerprint(files),
    _format_columns: null,
    _format_kwargs: {},
    _format_type: null,
    _output_all_columns: false,
    _split: split,
  };
}

/** The hash of a single file, or the hash of the hashes of several. */
function fingerprint([first, ...others]: readonly RowsFile[]): string {
  if (first === undefined) throw new Error('a split without files has no fingerprint');
  const hashes = [first, ...others].map((file) => file.sha256);
  const hash =
    others.length === 0 ? first.sha256 : createHash('sha256').update(hashes.join('\n')).digest('hex');
  return hash.slice(0, 16);
}

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
