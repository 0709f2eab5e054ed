import type { ManifestFile, Split } from '../../../schemas/manifest.ts';
import type { FilePlace, WrittenFormat } from '../datasetFormat.ts';

/** Paths of a split's files inside a folder of the dataset, from that folder, in the order of the rows. */
export function filesOfSplit({ files }: WrittenFormat, split: Split, folder: string): readonly string[] {
  return files
    .filter((file) => file.split === split && file.path.startsWith(`${folder}/`))
    .map((file) => file.path.slice(folder.length + 1));
}

/**
 * The name under which LLaMA-Factory's `dataset_info.json` has each file of rows of a folder: the dataset's own for a
 * single file, else with the split and the file's number behind it. One name a file, since LLaMA-Factory reads a
 * folder's files in whatever order the file system lists them, but named data sets in the order of their names in
 * `dataset`.
 *
 * @param folder of the format, for instance `llama_factory`
 */
export function datasetNames(
  dataset: string,
  folder: string,
  files: readonly Pick<ManifestFile, 'path' | 'split'>[],
  split: Split,
): readonly { readonly name: string; readonly fileName: string }[] {
  const stem = split === 'train' ? dataset : `${dataset}-validation`;
  const paths = files
    .filter((file) => file.split === split && file.path.startsWith(`${folder}/`))
    .map((file) => file.path.slice(folder.length + 1));
  return paths.map((fileName) => ({
    name: stem + (/-\d{5,}-of-\d{5,}(?=\.[a-z]+$)/.exec(fileName)?.[0] ?? ''),
    fileName,
  }));
}

/** Name of a file: the stem alone where it is the only one of its split, else with its number as `datasets` writes it. */
export function shardName(
  stem: string,
  extension: string,
  { shard, shards }: Pick<FilePlace, 'shard' | 'shards'>,
): string {
  const number = shards === 1 ? '' : `-${shardNumber(shard)}-of-${shardNumber(shards)}`;
  return `${stem}${number}.${extension}`;
}

/** Five digits, or more where they don't do. */
export function shardNumber(number: number): string {
  return String(number).padStart(5, '0');
}
