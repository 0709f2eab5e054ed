import { readFileSync } from 'node:fs';
import { RecordFailure } from '../../../contract/errors.ts';
import type { ManifestFile, Split } from '../../../schemas/manifest.ts';
import type { RowProblem } from '../../../schemas/rows/datasetRow.ts';
import type { FilePlace, FormatPart, TextFile, WrittenFormat } from '../datasetFormat.ts';
import { parquetRowFile } from '../files/columnFiles.ts';
import type { RowColumns } from '../files/columns.ts';
import { jsonLinesFile } from '../files/jsonFiles.ts';

type Stems = Readonly<Record<Split, string>>;

const splitNames: Stems = { train: 'train', validation: 'validation' };

/**
 * Returns a row written by a codec.
 *
 * @throws RecordFailure for a row that does not fit the layout
 */
export function writtenRow<Row extends object>(row: Row | RowProblem): Row {
  if (!('problem' in row)) return row;
  throw new RecordFailure('internal', (row as RowProblem).problem);
}

/** JSON rows. Lone surrogates become U+FFFD. */
export function jsonPart<Source>(
  rowOf: (source: Source) => object,
  folder: string,
  {
    stems = splitNames,
    begin = jsonLinesFile,
  }: { readonly stems?: Stems; readonly begin?: typeof jsonLinesFile } = {},
): FormatPart<string, Source> {
  const extension = begin === jsonLinesFile ? 'jsonl' : 'json';
  return {
    rowOf: (source) => JSON.stringify(rowOf(source), wellFormed),
    begin,
    pathOf: (place) => folder + shardName(stems[place.split], extension, place),
  };
}

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

export function parquetPart<Row, Source>(
  rowOf: (source: Source) => Row,
  columns: RowColumns<Row>,
  folder: string,
  stems: Stems = splitNames,
): FormatPart<Row, Source> {
  return {
    rowOf,
    begin: (file) => parquetRowFile(file, columns),
    pathOf: (place) => folder + shardName(stems[place.split], 'parquet', place),
  };
}

/** File name: the stem alone for a single file of a split, otherwise with its number in the style of `datasets`. */
function shardName(stem: string, extension: string, { shard, shards }: FilePlace): string {
  return shards === 1
    ? `${stem}.${extension}`
    : `${stem}-${shardNumber(shard)}-of-${shardNumber(shards)}.${extension}`;
}

/** Pads a number to at least five digits. */
export function shardNumber(number: number): string {
  return String(number).padStart(5, '0');
}

/** Paths of a split's files, relative to a folder of the dataset, in row order. */
export function filesOfSplit(
  { files }: { readonly files: readonly Pick<ManifestFile, 'path' | 'split'>[] },
  split: Split,
  folder: string,
): string[] {
  return files
    .filter((file) => file.split === split && file.path.startsWith(`${folder}/`))
    .map((file) => file.path.slice(folder.length + 1));
}

/**
 * Names in LLaMA-Factory's `dataset_info.json` for the row files of a folder: the dataset's name for a single file,
 * otherwise with split and file number appended. One name per file, since LLaMA-Factory reads the files of a folder in
 * file system order, but named datasets in the order of `dataset`.
 *
 * @param folder of the format, for instance `llama_factory`
 */
export function datasetNames(
  dataset: string,
  folder: string,
  files: readonly Pick<ManifestFile, 'path' | 'split'>[],
  split: Split,
): { readonly name: string; readonly fileName: string }[] {
  const stem = split === 'train' ? dataset : `${dataset}-validation`;
  return filesOfSplit({ files }, split, folder).map((fileName) => ({
    name: stem + (/-\d{5,}-of-\d{5,}(?=\.[a-z]+$)/.exec(fileName)?.[0] ?? ''),
    fileName,
  }));
}

/** {@link datasetNames} of a split, joined as in LLaMA-Factory's configuration. */
export function namesOfSplit(...named: Parameters<typeof datasetNames>): string {
  return datasetNames(...named)
    .map(({ name }) => name)
    .join(',');
}

/** `dataset_info.json`: an entry per row file of a folder. */
export function datasetInfo(
  dataset: string,
  folder: string,
  files: WrittenFormat['files'],
  entryOf: (fileName: string) => object,
): string {
  const named = (['train', 'validation'] as const).flatMap((split) =>
    datasetNames(dataset, folder, files, split),
  );
  const info = Object.fromEntries(named.map(({ name, fileName }) => [name, entryOf(fileName)]));
  return `${JSON.stringify(info, null, 2)}\n`;
}

/** Python program copied from beside this file; `what` is its description in the README. */
export function programFile(folder: string, name: string, what: string): TextFile {
  return { path: `${folder}/${name}`, text: readFileSync(new URL(name, import.meta.url), 'utf8'), what };
}
