import { createHash } from 'node:crypto';
import type { Split } from '../../../schemas/manifest.ts';
import type { SavedDatasetDict, SavedDatasetState } from '../../../schemas/trainers/huggingFace.ts';
import type { FilePlace, RowsFile, TextFile, WrittenFormat } from '../datasetFormat.ts';
import { shardNumber } from './splitFiles.ts';

/** Path of a file of rows in a folder as `datasets.save_to_disk` leaves it: numbered even where there is one. */
export function savedFolderPath(folder: string, { split, shard, shards, hasValidation }: FilePlace): string {
  return `${folderOf(folder, split, hasValidation)}/data-${shardNumber(shard)}-of-${shardNumber(shards)}.arrow`;
}

/**
 * The files beside the rows: of a `DatasetDict` when there is a validation split, of a `Dataset` when there is none.
 *
 * @param info what `dataset_info.json` says
 */
export function savedFolderFiles(
  folder: string,
  { files, hasValidation }: WrittenFormat,
  info: object,
): readonly TextFile[] {
  const rowFiles = files.filter(({ path }) => path.endsWith('.arrow'));
  const described = (split: Split) => {
    const path = folderOf(folder, split, hasValidation);
    const written = rowFiles.filter((file) => file.split === split);
    return [
      { path: `${path}/dataset_info.json`, text: `${JSON.stringify(info)}\n` },
      { path: `${path}/state.json`, text: `${JSON.stringify(state(split, written))}\n` },
    ];
  };
  if (!hasValidation) return described('train');
  return [
    { path: `${folder}/dataset_dict.json`, text: `${JSON.stringify(dict)}\n` },
    ...dict.splits.flatMap(described),
  ];
}

const dict: SavedDatasetDict = { splits: ['train', 'validation'] };

function folderOf(folder: string, split: Split, hasValidation: boolean): string {
  return hasValidation ? `${folder}/${split}` : folder;
}

/** A column of lists. */
export const sequenceOf = <D extends string>(dtype: D) =>
  ({ feature: { dtype, _type: 'Value' }, _type: 'Sequence' }) as const;

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
