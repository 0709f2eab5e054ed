import { createHash } from 'node:crypto';
import { List } from 'apache-arrow';
import type { Split } from '../../../schemas/manifest.ts';
import {
  type DatasetFormat,
  type FormatPart,
  maskedCapabilities,
  type RowsFile,
  type TextFile,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { arrowStreamFile } from '../files/columnFiles.ts';
import { labelledColumns, labelledRow, namesOf, type RowColumns } from '../files/columns.ts';
import { filesOfSplit, shardNumber } from './formatParts.ts';

/** `tokenized/`: `datasets.save_to_disk` folder; a `DatasetDict` with a validation split, otherwise a `Dataset`. */
export const tokenizedFormat: DatasetFormat<'trajectory'> = {
  name: 'tokenized',
  records: 'trajectory',
  columns: namesOf(labelledColumns),
  readers: ['llama-factory', 'trl'],
  card: {
    opened: '`load_from_disk(FOLDER + "/tokenized")`',
    trainer: "LLaMA-Factory's `tokenized_path`, TRL",
    mask: '`labels`, -100 where not trained',
  },
  capabilities: maskedCapabilities,
  layoutOf: () => ({
    parts: [savedPart(labelledRow, labelledColumns, 'tokenized')],
    guide: (written) => ({
      files: savedFolderFiles('tokenized', written, labelledColumns),
      start: startOf(written),
      beware: [
        'TRL cuts at `max_length`, 1,024 by default: give it `max_length=None`.',
        'LLaMA-Factory ignores `cutoff_len` here, and asks for `dataset` without reading it.',
      ],
    }),
  }),
};

function startOf({ hasValidation }: WrittenFormat): string {
  return `Stock LLaMA-Factory, in its configuration (\`coa-distill train RUN\` renders the whole job):

\`\`\`yaml
tokenized_path: .
dataset: unused
${hasValidation ? 'eval_dataset: unused\n' : ''}\`\`\`

In Python, for TRL and others: \`load_from_disk(".")\` of \`datasets\`.`;
}

/** Rows in a `datasets.save_to_disk` folder, in which even a single file is numbered. */
export function savedPart<Source, Row>(
  rowOf: (source: Source) => Row,
  columns: RowColumns<Row>,
  folder: string,
): FormatPart<Row, Source> {
  return {
    rowOf,
    begin: (file) => arrowStreamFile(file, columns),
    pathOf: ({ split, shard, shards, hasValidation }) =>
      `${folderOf(folder, split, hasValidation)}/data-${shardNumber(shard)}-of-${shardNumber(shards)}.arrow`,
  };
}

/** Files beside the rows of a `DatasetDict` (with a validation split) or `Dataset`. */
export function savedFolderFiles<Row>(
  folder: string,
  written: WrittenFormat,
  columns: RowColumns<Row>,
): TextFile[] {
  const json = (path: string, content: object) => ({ path, text: `${JSON.stringify(content)}\n` });
  const described = (split: Split) => {
    const path = folderOf(folder, split, written.hasValidation);
    return [
      json(`${path}/dataset_info.json`, { features: featuresOf(columns) }),
      json(`${path}/state.json`, stateOf(path, split, written)),
    ];
  };
  if (!written.hasValidation) return described('train');
  const splits = ['train', 'validation'] as const;
  return [json(`${folder}/dataset_dict.json`, { splits }), ...splits.flatMap(described)];
}

function folderOf(folder: string, split: Split, hasValidation: boolean): string {
  return hasValidation ? `${folder}/${split}` : folder;
}

/** Column types in the notation of `datasets`, readable by versions before 4, which lack `List`. */
function featuresOf<Row>({ columns }: RowColumns<Row>): object {
  const element = (type: unknown) => ({ dtype: String(type).toLowerCase(), _type: 'Value' });
  return Object.fromEntries(
    columns.map(({ field: { name, type } }) => [
      name,
      type instanceof List ? { feature: element(type.valueType), _type: 'Sequence' } : element(type),
    ]),
  );
}

/** The fingerprint keys the caches of `datasets`, so it must change with the data. */
function stateOf(path: string, split: Split, { files }: WrittenFormat): object {
  const ofSplit = files.filter((file) => file.split === split && file.path.startsWith(`${path}/`));
  return {
    _data_files: filesOfSplit({ files }, split, path).map((filename) => ({ filename })),
    _fingerprint: fingerprintOf(ofSplit),
    _format_columns: null,
    _format_kwargs: {},
    _format_type: null,
    _output_all_columns: false,
    _split: split,
  };
}

/** Hash of a single file, or hash of the hashes of several. */
function fingerprintOf(files: readonly RowsFile[]): string {
  const hashes = files.map(({ sha256 }) => sha256);
  const hash =
    hashes.length === 1 ? hashes[0]! : createHash('sha256').update(hashes.join('\n')).digest('hex');
  return hash.slice(0, 16);
}
